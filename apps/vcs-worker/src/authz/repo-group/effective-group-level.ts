import { prepared, repoGroups, users } from '@trunkline/db';
import { eq, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { defaultUserId } from '../repository/effective-level.ts';

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
