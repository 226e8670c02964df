import { repositories, type Db } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/** Returns whether downloads of a repository are enabled. */
export async function downloadsEnabled(db: Db, repositoryId: number): Promise<boolean> {
  const [row] = await db
    .select({ enabled: repositories.enableDownloads })
    .from(repositories)
    .where(eq(repositories.id, repositoryId));
  return row?.enabled ?? false;
}
