import {
  followers,
  preparedSql,
  userGlobalPermissions,
  userGroupGlobalPermissions,
  userGroupMembers,
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  type Db,
} from '@trunkline/db';
import type { EntityRef } from '@trunkline/contracts';
import { sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/** A user or user group that a call names. */
export interface FoundHolder {
  readonly id: number;
  readonly name: string;
}

export type HolderKind = 'user' | 'user group';

const holders = {
  user: { table: sql.identifier('users'), name: sql.identifier('username'), column: sql.identifier('user_id') },
  'user group': {
    table: sql.identifier('user_groups'),
    name: sql.identifier('name'),
    column: sql.identifier('user_group_id'),
  },
} as const satisfies Record<HolderKind, object>;

const given = sql.placeholder;

function selectHolder(kind: HolderKind, lock: SQL) {
  const { table, name } = holders[kind];
  return preparedSql(sql`select h.id, h.${name} as name from ${table} h where h.id = coalesce(${given('id')}::int,
    (select n.id from ${table} n where n.${name} = ${given('name')}::text)) ${lock}`);
}

const queriesOf = (kind: HolderKind) => ({
  find: selectHolder(kind, sql``),
  keep: selectHolder(kind, sql`for key share`),
  keepAtOnce: selectHolder(kind, sql`for key share skip locked`),
});
const holderQueries = { user: queriesOf('user'), 'user group': queriesOf('user group') };

/**
 * Finds the user or user group that a reference names. `keep` also keeps it from removal until the transaction ends, and
 * waits for its row; `keepAtOnce` does not find one whose row is locked.
 */
export async function findHolder(
  db: Db,
  kind: HolderKind,
  { id, name }: Pick<EntityRef, 'id' | 'name'>,
  how: 'find' | 'keep' | 'keepAtOnce' = 'find',
): Promise<FoundHolder | null> {
  const [row] = await holderQueries[kind][how](db).execute({ id, name });
  return row ? { id: Number(row['id']), name: String(row['name']) } : null;
}

/** Where a row of a holder stands, and what it is about: the type of the object's column, and whether it has a level. */
interface Place {
  readonly table: PgTable;
  readonly kind: HolderKind;
  readonly object: string;
  readonly isPermission?: true;
  readonly hasLevel?: true;
}

/** Rows by each of which a user or user group has something: a level, a global permission, a membership. */
function heldRows({ table, kind, object, isPermission, hasLevel }: Place) {
  const [holder, about] = [holders[kind].column, sql.identifier(object)];
  const objectId = sql`${given('object')}::${sql.raw(isPermission ? 'text' : 'int')}`;
  const row = sql`from ${table} where ${holder} = ${given('id')}::int and ${about} = ${objectId}`;
  const level = hasLevel ? sql`, ${given('level')}::int` : sql``;
  const columns = sql`(${holder}, ${about}${hasLevel ? sql`, level` : sql``})`;
  // A changed level keeps its position in the order of grants.
  const known = hasLevel ? sql`(${holder}, ${about}) do update set level = excluded.level` : sql`do nothing`;
  return {
    kind,
    add: preparedSql(sql`insert into ${table} ${columns} values (${given('id')}::int, ${objectId}${level})
      on conflict ${known} returning 1`),
    find: preparedSql(sql`select 1 ${row}`),
    removeAtOnce: preparedSql(sql`delete from ${table} where (${holder}, ${about}) in
      (select ${holder}, ${about} ${row} for update skip locked) returning 1`),
    lock: preparedSql(sql`select 1 ${row} for update`),
  };
}

export type HeldRows = ReturnType<typeof heldRows>;

export async function isHeld(db: Db, rows: HeldRows, id: number, object: number): Promise<boolean> {
  return (await rows.find(db).execute({ id, object })).length > 0;
}

const levelOf = (kind: HolderKind, table: PgTable, object: string) => heldRows({ table, kind, object, hasLevel: true });

export const levelsOnRepositories = {
  user: levelOf('user', userRepositoryPermissions, 'repository_id'),
  'user group': levelOf('user group', userGroupRepositoryPermissions, 'repository_id'),
};
export const levelsOnRepoGroups = {
  user: levelOf('user', userRepoGroupPermissions, 'repo_group_id'),
  'user group': levelOf('user group', userGroupRepoGroupPermissions, 'repo_group_id'),
};
export const globalPermissions = {
  user: heldRows({ table: userGlobalPermissions, kind: 'user', object: 'permission', isPermission: true }),
  'user group': heldRows({
    table: userGroupGlobalPermissions,
    kind: 'user group',
    object: 'permission',
    isPermission: true,
  }),
};
export const followings = heldRows({ table: followers, kind: 'user', object: 'repository_id' });
/** A membership is held by the user; its object is the user group. */
export const memberships = heldRows({ table: userGroupMembers, kind: 'user', object: 'user_group_id' });
