import { repositories, type Db } from '@trunkline/db';
import { eq } from 'drizzle-orm';

/** Returns the recorded size of a repository; null while it is unknown. */
export async function recordedSize(db: Db, repositoryId: number): Promise<number | null> {
  const ofRepository = eq(repositories.id, repositoryId);
  const [row] = await db.select({ sizeBytes: repositories.sizeBytes }).from(repositories).where(ofRepository);
  return row?.sizeBytes ?? null;
}
