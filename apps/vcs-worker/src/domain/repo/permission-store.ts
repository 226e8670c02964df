import { userRepositoryPermissions, type Db } from '@trunkline/db';
import type { SQL } from 'drizzle-orm';

/** Sets a user's level on a repository; a changed level keeps its position in the order of grants. */
export async function setUserLevel(
  db: Db,
  userId: number | SQL<number>,
  repositoryId: number,
  level: number,
): Promise<void> {
  const target = [userRepositoryPermissions.userId, userRepositoryPermissions.repositoryId];
  await db
    .insert(userRepositoryPermissions)
    .values({ userId, repositoryId, level })
    .onConflictDoUpdate({ target, set: { level } });
}
