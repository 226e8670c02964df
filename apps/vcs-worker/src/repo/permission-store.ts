import { userGroupRepositoryPermissions, userRepositoryPermissions, type Db } from '@trunkline/db';
import { and, eq, type SQL } from 'drizzle-orm';

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

export async function removeUserLevel(db: Db, userId: number, repositoryId: number): Promise<void> {
  await db
    .delete(userRepositoryPermissions)
    .where(and(eq(userRepositoryPermissions.userId, userId), eq(userRepositoryPermissions.repositoryId, repositoryId)));
}

export async function setUserGroupLevel(
  db: Db,
  userGroupId: number,
  repositoryId: number,
  level: number,
): Promise<void> {
  const target = [userGroupRepositoryPermissions.userGroupId, userGroupRepositoryPermissions.repositoryId];
  await db
    .insert(userGroupRepositoryPermissions)
    .values({ userGroupId, repositoryId, level })
    .onConflictDoUpdate({ target, set: { level } });
}

export async function removeUserGroupLevel(db: Db, userGroupId: number, repositoryId: number): Promise<void> {
  await db
    .delete(userGroupRepositoryPermissions)
    .where(
      and(
        eq(userGroupRepositoryPermissions.userGroupId, userGroupId),
        eq(userGroupRepositoryPermissions.repositoryId, repositoryId),
      ),
    );
}
