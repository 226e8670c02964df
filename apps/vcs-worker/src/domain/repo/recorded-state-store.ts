import { repositories, type Db } from '@trunkline/db';
import { eq } from 'drizzle-orm';

const { generation, sizeBytes, lastChangeset, needsRecovery } = repositories;

/** What is recorded of a repository's bytes. */
export type RecordedState = Pick<
  typeof repositories.$inferSelect,
  'generation' | 'sizeBytes' | 'lastChangeset' | 'needsRecovery'
>;

/** Returns what is recorded of a repository's bytes, of one moment; undefined when it is gone. */
export async function readRecordedState(db: Db, repositoryId: number): Promise<RecordedState | undefined> {
  const [row] = await db
    .select({ generation, sizeBytes, lastChangeset, needsRecovery })
    .from(repositories)
    .where(eq(repositories.id, repositoryId));
  return row;
}
