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

/** SQL expression for the id of the user `default`, whose rows apply to every user. */
export const defaultUserId = sql<number>`(select id from users where username_key = 'default')`;

type UserId = number | Placeholder | SQL;

/**
 * Returns a subquery for the highest level of a user's active groups on each repository. With `only`, a column of the
 * outer query, the subquery reads that one repository, and must be joined laterally.
 */
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
 * Returns the joins and the level of a user on a repository by the one rule for all methods: administrator, owner, own
 * row, best row of active groups, row of `default` unless private. `user` must be the row of `userId` in the query,
 * and the three tables be joined. For a second repository in the query, `prefix` makes the names of its joins unique.
 */
export function effectiveLevel(
  db: Db,
  userId: UserId,
  repository: Readonly<Record<'id' | 'ownerId' | 'private', PgColumn>> = repositories,
  prefix = '',
  user: Readonly<Record<'id' | 'admin', PgColumn>> = users,
) {
  const own = alias(userRepositoryPermissions, `${prefix}own_row`);
  const defaultUser = alias(userRepositoryPermissions, `${prefix}default_user_row`);
  const byUserGroup = groupLevels(db, userId, prefix);
  const byUserGroupOfRow = groupLevels(db, userId, prefix, repository.id);
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
    defaultUser: {
      table: defaultUser,
      on: and(eq(defaultUser.repositoryId, repository.id), sql`${defaultUser.userId} = ${defaultUserId}`),
    },
    byUserGroup: { table: byUserGroup, on: eq(byUserGroup.repositoryId, repository.id) },
    /** `byUserGroup` as a lateral join: a list that ends at its page's limit then reads the groups of few rows only. */
    byUserGroupOfRow: { table: byUserGroupOfRow, on: sql`true` },
    level: sql<number>`case
      when ${user.admin} or ${repository.ownerId} = ${user.id} then 4
      else coalesce(${own.level}, ${byUserGroup.level}, case when ${repository.private} then 0 else ${defaultUser.level} end, 0)
    end`,
  };
}
