import {
  apiKeys,
  prepared,
  repositories,
  sessions,
  userGlobalPermissions,
  userIpAddresses,
  users,
} from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { defaultUserId, effectiveLevel } from './repository/effective-level.ts';

const repositoryNamed = sql`coalesce(
  ${sql.placeholder('repositoryId')}::int,
  (select id from repositories where name = ${sql.placeholder('repositoryName')}::text)
)`;

const keyId = sql.placeholder('keyId');
const sessionId = sql.placeholder('sessionId');

/**
 * The caller's present state, by key, session or neither: whether it may call, from which networks, and its global
 * rights.
 */
const callerColumns = {
  userId: users.id,
  username: users.username,
  admin: users.admin,
  usable: sql<boolean>`${users.active} and case
    when ${keyId}::int is not null then ${users.usernameKey} <> 'default' and ${apiKeys.id} is not null
      and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())
    when ${sessionId}::int is not null then ${users.usernameKey} <> 'default' and ${sessions.id} is not null
      and ${sessions.expiresAt} > now()
    else ${users.usernameKey} = 'default' end`,
  networks: sql<string[]>`array(select ip_addr from ${userIpAddresses}
    where user_id = ${users.id} or user_id = ${defaultUserId})`,
  globalPermissions: sql<string[]>`array(
    select permission from ${userGlobalPermissions} where user_id = ${users.id} or user_id = ${defaultUserId}
    union
    select g.permission from user_group_global_permissions g
      join user_group_members m on m.user_group_id = g.user_group_id and m.user_id = ${users.id}
      join user_groups ug on ug.id = g.user_group_id and ug.active)`,
};

const ofCaller = eq(users.id, sql.placeholder('userId'));
const byKey = and(eq(apiKeys.id, keyId), eq(apiKeys.userId, users.id));
const bySession = and(eq(sessions.id, sessionId), eq(sessions.userId, users.id));

/** One statement for a call that names no repository. */
export const callerQuery = prepared((db) =>
  db
    .select(callerColumns)
    .from(users)
    .leftJoin(apiKeys, byKey)
    .leftJoin(sessions, bySession)
    .where(ofCaller)
    .prepare('caller'),
);

/** One statement for a call that names a repository: the caller, the repository and the caller's level on it. */
export const accessQuery = prepared((db) => {
  const rule = effectiveLevel(db, sql.placeholder('userId'));
  return db
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
    .from(users)
    .leftJoin(apiKeys, byKey)
    .leftJoin(sessions, bySession)
    .leftJoin(repositories, and(eq(repositories.id, repositoryNamed), eq(repositories.state, 'ready')))
    .leftJoin(rule.own.table, rule.own.on)
    .leftJoin(rule.everybody.table, rule.everybody.on)
    .leftJoin(rule.byGroup.table, rule.byGroup.on)
    .where(ofCaller)
    .prepare('access');
});
