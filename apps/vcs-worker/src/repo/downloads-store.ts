import { repositories, type Executor } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/** Whether a repository's owner offers archives. */
export async function downloadsEnabled(db: Executor, repositoryId: number): Promise<boolean> {
  const [row] = await db
    .select({ enabled: repositories.enableDownloads })
    .from(repositories)
    .where(eq(repositories.id, repositoryId));
  return row?.enabled ?? false;
}
