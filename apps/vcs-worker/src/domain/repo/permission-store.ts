import { type Db, type Transaction, userGroupRepositoryPermissions, userRepositoryPermissions } from '@trunkline/db';
import { eq, type SQL, sql } from 'drizzle-orm';
import { levels } from '@trunkline/contracts';
import { defaultUserId } from '../../authz/effective-level.ts';

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

/** Replaces a repository's permission rows by those of another; on a private one `default` keeps `none`. */
export async function copyPermissions(
  tx: Transaction,
  fromId: number,
  toId: number,
  options: { private: boolean },
): Promise<void> {
  const users = userRepositoryPermissions;
  const groups = userGroupRepositoryPermissions;
  await tx.delete(users).where(eq(users.repositoryId, toId));
  await tx.insert(users).select(
    tx
      .select({
        userId: users.userId,
        repositoryId: sql<number>`${toId}::int`.as('to_id'),
        level: users.level,
        grantedAt: users.grantedAt,
      })
      .from(users)
      .where(eq(users.repositoryId, fromId)),
  );
  await tx.insert(groups).select(
    tx
      .select({
        userGroupId: groups.userGroupId,
        repositoryId: sql<number>`${toId}::int`.as('to_id'),
        level: groups.level,
        grantedAt: groups.grantedAt,
      })
      .from(groups)
      .where(eq(groups.repositoryId, fromId)),
  );
  if (options.private) await setUserLevel(tx, defaultUserId, toId, levels.none);
}
