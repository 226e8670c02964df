import { deletedRepositories, repositories, storages, type Database } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/** Returns the storage that has the bytes of a repository now, in its trash if the repository was deleted. */
export async function findStorage(db: Database, repositoryId: number): Promise<string | undefined> {
  const [row] = await db
    .select({ name: storages.name })
    .from(repositories)
    .innerJoin(storages, eq(storages.id, repositories.storageId))
    .where(eq(repositories.id, repositoryId));
  if (row) return row.name;
  const [deleted] = await db
    .select({ name: storages.name })
    .from(deletedRepositories)
    .innerJoin(storages, eq(storages.id, deletedRepositories.storageId))
    .where(eq(deletedRepositories.repositoryId, repositoryId));
  return deleted?.name;
}
