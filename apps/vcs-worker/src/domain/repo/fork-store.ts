import { levels } from '@trunkline/contracts';
import { userGroupRepositoryPermissions, userRepositoryPermissions, type Transaction } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { defaultUserId } from '../../authz/repository/effective-level.ts';
import { setUserLevel } from './permission-store.ts';

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
