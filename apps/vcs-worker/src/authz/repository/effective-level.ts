import {
  repositories,
  userGroupMembers,
  userGroupRepositoryPermissions,
  userGroups,
  userRepositoryPermissions,
  users,
  type Db,
} from '@trunkline/db';
import { and, eq, sql, type Placeholder, type SQL } from 'drizzle-orm';
import { alias, type PgColumn } from 'drizzle-orm/pg-core';

/** The id of the user `default`, whose rows apply to every user. */
export const defaultUserId = sql<number>`(select id from users where username_key = 'default')`;

type UserId = number | Placeholder | SQL;

/** The highest level of the user's active groups on each repository, or on that of the joined row. */
function groupLevels(db: Db, userId: UserId, prefix: string, only?: PgColumn) {
  return db
    .select({
      repositoryId: userGroupRepositoryPermissions.repositoryId,
      level: sql<number>`max(${userGroupRepositoryPermissions.level})`.as(`${prefix}group_level`),
    })
    .from(userGroupRepositoryPermissions)
    .innerJoin(userGroupMembers, eq(userGroupMembers.userGroupId, userGroupRepositoryPermissions.userGroupId))
    .innerJoin(userGroups, and(eq(userGroups.id, userGroupMembers.userGroupId), eq(userGroups.active, true)))
    .where(
      and(sql`${userGroupMembers.userId} = ${userId}`, only && eq(userGroupRepositoryPermissions.repositoryId, only)),
    )
    .groupBy(userGroupRepositoryPermissions.repositoryId)
    .as(`${prefix}by_group`);
}

/**
 * The level of a user on a repository, the one rule for all methods (administrator, owner, own row, best row of
 * active groups, the default user's row unless private). `users` must be the row of `userId` in the query,
 * and the three tables be joined. A second repository in the query has a prefix for the names of its own joins.
 */
export function effectiveLevel(
  db: Db,
  userId: UserId,
  repository: Readonly<Record<'id' | 'ownerId' | 'private', PgColumn>> = repositories,
  prefix = '',
) {
  const own = alias(userRepositoryPermissions, `${prefix}own_row`);
  const everybody = alias(userRepositoryPermissions, `${prefix}everybody_row`);
  const byGroup = groupLevels(db, userId, prefix);
  const byGroupOfRow = groupLevels(db, userId, prefix, repository.id);
  return {
    own: {
      table: own,
      // An anonymous caller is the user `default`, whose row does not count on private repositories.
      on: and(
        eq(own.repositoryId, repository.id),
        sql`${own.userId} = ${userId}`,
        sql`${own.userId} <> ${defaultUserId}`,
      ),
    },
    everybody: {
      table: everybody,
      on: and(eq(everybody.repositoryId, repository.id), sql`${everybody.userId} = ${defaultUserId}`),
    },
    byGroup: { table: byGroup, on: eq(byGroup.repositoryId, repository.id) },
    /** `byGroup` as a lateral join: for a page, which ends before most rows are read. */
    byGroupOfRow: { table: byGroupOfRow, on: sql`true` },
    level: sql<number>`case
      when ${users.admin} or ${repository.ownerId} = ${users.id} then 4
      else coalesce(${own.level}, ${byGroup.level}, case when ${repository.private} then 0 else ${everybody.level} end, 0)
    end`,
  };
}
