import {
  apiKeys,
  passwordFingerprint,
  prepared,
  repositories,
  sessions,
  userGlobalPermissions,
  userIpAddresses,
  users,
  type Db,
} from '@trunkline/db';
import { and, eq, exists, or, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import { alias, type PgColumn, type SelectedFields } from 'drizzle-orm/pg-core';
import { defaultUserId, effectiveLevel } from './effective-level.ts';

const repositoryNamed = sql`coalesce(
  ${sql.placeholder('repositoryId')}::int,
  (select id from repositories where name = ${sql.placeholder('repositoryName')}::text)
)`;

const keyId = sql.placeholder('keyId');
const sessionId = sql.placeholder('sessionId');
const fingerprint = sql.placeholder('passwordFingerprint');

/** The global permissions of a user in the query: their own, those of everybody, and those of their active user groups. */
export function globalPermissionsOf(id: PgColumn): SQL<string[]> {
  return sql<string[]>`array(
    select permission from ${userGlobalPermissions} where user_id = ${id} or user_id = ${defaultUserId}
    union
    select g.permission from user_group_global_permissions g
      join user_group_members m on m.user_group_id = g.user_group_id and m.user_id = ${id}
      join user_groups ug on ug.id = g.user_group_id and ug.active)`;
}

/**
 * Columns with the caller's present state, for a call by key, by session, by password or by none of them: whether the
 * caller may call, from which networks, and with which global permissions.
 */
const callerColumns = {
  userId: users.id,
  username: users.username,
  admin: users.admin,
  limitedTo: apiKeys.limitedTo,
  usable: sql<boolean>`${users.active} and case
    when ${keyId}::int is not null then ${users.usernameKey} <> 'default' and ${apiKeys.id} is not null
      and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())
    when ${sessionId}::int is not null then ${users.usernameKey} <> 'default' and ${sessions.id} is not null
      and ${sessions.expiresAt} > now()
    when ${fingerprint}::text is not null then ${users.usernameKey} <> 'default'
      and ${passwordFingerprint} = ${fingerprint}::text
    else ${users.usernameKey} = 'default' end`,
  networks: sql<string[]>`array(select ip_addr from ${userIpAddresses}
    where user_id = ${users.id} or user_id = ${defaultUserId})`,
  globalPermissions: globalPermissionsOf(users.id),
};

const ofCaller = eq(users.id, sql.placeholder('userId'));
const byKey = and(eq(apiKeys.id, keyId), eq(apiKeys.userId, users.id));
const bySession = and(eq(sessions.id, sessionId), eq(sessions.userId, users.id));

/** Returns a query for a call that names no repository: it reads the caller and these columns in one statement. */
export function ofCallerAlone<Columns extends SelectedFields>(name: string, columns: Columns) {
  return prepared((db) =>
    db
      .select({ ...callerColumns, ...columns })
      .from(users)
      .leftJoin(apiKeys, byKey)
      .leftJoin(sessions, bySession)
      .where(ofCaller)
      .prepare(name),
  );
}

/** A user whom a call of the caller shows. */
export const shownUser = alias(users, 'shown_user');

const userNamed = sql`coalesce(
  ${sql.placeholder('targetId')}::int,
  (select named.id from users named where named.username = ${sql.placeholder('targetName')}::text)
)`;

/**
 * As `ofCallerAlone`, with `shownUser`: the user whom the call names, of whom only administrators and the user see
 * anything. `Row` is its row, which is too long to be inferred.
 */
export function ofCallerAndUser<Row>(name: string, columns: (db: Db) => SelectedFields): (db: Db) => Statement<Row> {
  const maySee = or(eq(users.admin, true), eq(shownUser.id, users.id));
  const query = prepared((db) =>
    db
      .select({ ...callerColumns, ...columns(db) })
      .from(users)
      .leftJoin(apiKeys, byKey)
      .leftJoin(sessions, bySession)
      .leftJoin(shownUser, and(eq(shownUser.id, userNamed), maySee))
      .where(ofCaller)
      .prepare(name),
  );
  return (db) => query(db) as unknown as Statement<Row>;
}

export const callerQuery = ofCallerAlone('caller', {});

const keyReaches = sql<boolean>`coalesce(${repositories.id} = any(${apiKeys.repositoryIds}),
  ${apiKeys.repositoryIds} is null)`;

/**
 * Returns a query for a call that names a repository: it reads the caller and, of the repository and the caller's level on
 * it, these columns in one statement.
 */
function ofNamedRepository<Columns extends SelectedFields>(
  name: string,
  columns: (level: SQL<number>, db: Db) => Columns,
) {
  return prepared((db) => {
    const access = effectiveLevel(db, sql.placeholder('userId'));
    return db
      .select({ ...callerColumns, keyReaches, ...columns(access.level, db) })
      .from(users)
      .leftJoin(apiKeys, byKey)
      .leftJoin(sessions, bySession)
      .leftJoin(repositories, and(eq(repositories.id, repositoryNamed), eq(repositories.state, 'ready')))
      .leftJoin(access.own.table, access.own.on)
      .leftJoin(access.defaultUser.table, access.defaultUser.on)
      .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
      .where(ofCaller)
      .prepare(name);
  });
}

export interface Statement<Row> {
  execute(parameters: Readonly<Record<string, unknown>>): Promise<readonly Row[]>;
}

/** Returns a query that also reads what a result shows of the repository; `Row` is its row, which is too long to be inferred. */
export function shownOfRepository<Row>(
  name: string,
  columns: (level: SQL<number>, db: Db) => SelectedFields,
): (db: Db) => Statement<Row> {
  const query = ofNamedRepository(name, columns);
  return (db) => query(db) as unknown as Statement<Row>;
}

/** What a call that names a repository reads of it. */
export const accessColumns = (level: SQL<number>) => ({
  repository: {
    id: repositories.id,
    uuid: repositories.uuid,
    name: repositories.name,
    type: repositories.type,
    storageId: repositories.storageId,
    storagePath: repositories.storagePath,
    generation: repositories.generation,
    isFork: sql<boolean>`${repositories.forkOfId} is not null`.as('is_fork'),
    tipId: sql<string | null>`${repositories.lastChangeset}->>'rawId'`.as('tip_id'),
    tipRevision: sql<number | null>`(${repositories.lastChangeset}->>'revision')::int`.as('tip_revision'),
    level: level.as('level'),
  },
});

/** What decides on a call, in a statement that acts on the repository that it names. */
export type RightsColumns = Readonly<
  Record<keyof typeof callerColumns | 'hasCredential' | 'keyReaches' | 'repositoryId' | 'level', SQLWrapper>
>;

/** Returns the condition that these hold of the rights of a call. */
export function rightsHold(db: Db, conditions: (columns: RightsColumns) => readonly SQL[]): SQL {
  const access = effectiveLevel(db, sql.placeholder('userId'));
  const hasCredential = sql`num_nonnulls(${keyId}::int, ${sessionId}::int, ${fingerprint}::text) > 0`;
  const ofRepository = { keyReaches, repositoryId: repositories.id, level: access.level };
  return exists(
    db
      .select({ one: sql`1` })
      .from(users)
      .leftJoin(apiKeys, byKey)
      .leftJoin(sessions, bySession)
      .leftJoin(repositories, and(eq(repositories.id, repositoryNamed), eq(repositories.state, 'ready')))
      .leftJoin(access.own.table, access.own.on)
      .leftJoin(access.defaultUser.table, access.defaultUser.on)
      .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
      .where(and(ofCaller, ...conditions({ ...callerColumns, hasCredential, ...ofRepository }))),
  );
}

/** What a call that names a repository reads of it, and what decides on the call. */
export const accessQuery = ofNamedRepository('access', accessColumns);
