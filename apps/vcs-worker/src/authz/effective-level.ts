import {
  type Db,
  prepared,
  repoGroups,
  repositories,
  userGroupMembers,
  userGroupRepositoryPermissions,
  userGroups,
  userRepositoryPermissions,
  users,
} from '@trunkline/db';
import { and, eq, type Placeholder, sql, type SQL } from 'drizzle-orm';
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

/**
 * Returns an SQL expression for a user's level on a repository group, by the same rules as on a repository, except
 * that no group is private. In the query `user` must be that user's row.
 */
export function effectiveGroupLevel(
  userId: SQL,
  user: Readonly<Record<'id' | 'admin', PgColumn>> = users,
): SQL<number> {
  return sql<number>`case when ${user.admin} or ${repoGroups.ownerId} = ${user.id} then 4 else coalesce(
    (select p.level from user_repo_group_permissions p where p.user_id = ${userId} and p.repo_group_id = ${repoGroups.id}),
    (select max(p.level) from user_group_repo_group_permissions p
      join user_group_members m on m.user_group_id = p.user_group_id and m.user_id = ${userId}
      join user_groups g on g.id = p.user_group_id and g.active
      where p.repo_group_id = ${repoGroups.id}),
    (select p.level from user_repo_group_permissions p where p.user_id = ${defaultUserId} and p.repo_group_id = ${repoGroups.id}),
    0) end`;
}

const userId = sql.placeholder('userId');
const groupNamed = sql`coalesce(
  ${sql.placeholder('groupId')}::int,
  (select id from repo_groups where name = ${sql.placeholder('groupName')}::text)
)`;

/** Reads the repository group that a call names, and a user's level on it. */
export const groupLevelQuery = prepared((db) =>
  db
    .select({ id: repoGroups.id, name: repoGroups.name, level: effectiveGroupLevel(sql`${userId}::int`) })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, userId))
    .where(eq(repoGroups.id, groupNamed))
    .prepare('level_on_group'),
);
