import { apiKeys, prepared, repositories, userGlobalPermissions, userIpAddresses, users } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { defaultUserId, effectiveLevel } from './effective-level.ts';

const repositoryNamed = sql`coalesce(
  ${sql.placeholder('repositoryId')}::int,
  (select id from repositories where name = ${sql.placeholder('repositoryName')}::text)
)`;

/** The present state of a key and its user: usable at all, from where, and what it may do anywhere. */
const callerColumns = {
  userId: users.id,
  username: users.username,
  admin: users.admin,
  usable: sql<boolean>`${users.active} and ${users.usernameKey} <> 'default'
    and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`,
  networks: sql<string[]>`array(select ip_addr from ${userIpAddresses}
    where user_id = ${users.id} or user_id = ${defaultUserId})`,
  globalPermissions: sql<string[]>`array(
    select permission from ${userGlobalPermissions} where user_id = ${users.id} or user_id = ${defaultUserId}
    union
    select g.permission from user_group_global_permissions g
      join user_group_members m on m.user_group_id = g.user_group_id and m.user_id = ${users.id}
      join user_groups ug on ug.id = g.user_group_id and ug.active)`,
};

const ofCaller = and(eq(apiKeys.id, sql.placeholder('apiKeyId')), eq(users.id, sql.placeholder('userId')));

/** One statement for a call that names no repository. */
export const callerQuery = prepared((executor) =>
  executor
    .select(callerColumns)
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(ofCaller)
    .prepare('caller'),
);

/** One statement for a call that names a repository: the caller, the repository and the caller's level on it. */
export const accessQuery = prepared((executor) => {
  const rule = effectiveLevel(executor, sql.placeholder('userId'));
  return executor
    .select({
      ...callerColumns,
      repository: {
        id: repositories.id,
        uuid: repositories.uuid,
        name: repositories.name,
        type: repositories.type,
        storagePath: repositories.storagePath,
        generation: repositories.generation,
        tipId: sql<string | null>`${repositories.lastChangeset}->>'rawId'`.as('tip_id'),
        level: rule.level.as('level'),
      },
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .leftJoin(repositories, and(eq(repositories.id, repositoryNamed), eq(repositories.state, 'ready')))
    .leftJoin(rule.own.table, rule.own.on)
    .leftJoin(rule.everybody.table, rule.everybody.on)
    .leftJoin(rule.byGroup.table, rule.byGroup.on)
    .where(ofCaller)
    .prepare('access');
});
