import { InvalidArgsError, type EntityRef, type NotFoundError } from '@trunkline/contracts';
import { preparedSql, type Db } from '@trunkline/db';
import { sql, type SQL } from 'drizzle-orm';
import type { Access } from '../../authz/authorize.ts';
import type { WriteScope } from '../../write-scope.ts';
import { userGroupNotFound } from '../groups/user-group-store.ts';
import { userNotFound } from './user-store.ts';

/** A user or user group, which may have rights. */
export interface Principal {
  readonly id: number;
  readonly name: string;
}

export type PrincipalKind = 'user' | 'user group';

/** Where the rows of users and of user groups stand, and by which column other tables name them. */
export const principals = {
  user: { table: sql.identifier('users'), name: sql.identifier('username'), column: sql.identifier('user_id') },
  'user group': {
    table: sql.identifier('user_groups'),
    name: sql.identifier('name'),
    column: sql.identifier('user_group_id'),
  },
} as const satisfies Record<PrincipalKind, object>;

const given = sql.placeholder;

function selectPrincipal(kind: PrincipalKind, lock: SQL) {
  const { table, name } = principals[kind];
  return preparedSql(sql`select h.id, h.${name} as name from ${table} h where h.id = coalesce(${given('id')}::int,
    (select n.id from ${table} n where n.${name} = ${given('name')}::text)) ${lock}`);
}

const queriesOf = (kind: PrincipalKind) => ({
  find: selectPrincipal(kind, sql``),
  keep: selectPrincipal(kind, sql`for key share`),
  keepAtOnce: selectPrincipal(kind, sql`for key share skip locked`),
});
const principalQueries = { user: queriesOf('user'), 'user group': queriesOf('user group') };

/**
 * Finds the user or user group that a reference names. `keep` also keeps it from removal until the transaction ends, and
 * waits for its row; `keepAtOnce` does not find one whose row is locked.
 */
export async function findPrincipal(
  db: Db,
  kind: PrincipalKind,
  { id, name }: Pick<EntityRef, 'id' | 'name'>,
  how: 'find' | 'keep' | 'keepAtOnce' = 'find',
): Promise<Principal | null> {
  const [row] = await principalQueries[kind][how](db).execute({ id, name });
  return row ? { id: Number(row['id']), name: String(row['name']) } : null;
}

export type PrincipalScope = Pick<WriteScope, 'db' | 'access' | 'authorize'>;

/** Throws the client's error for a caller who may not change what this user or user group has; asked again after each wait. */
export type Allow = (access: Access, ref: EntityRef) => void | Promise<void>;

/**
 * Finds the user or user group that a call names, and keeps it from removal until the transaction ends; null when there is
 * none. Rights may be revoked while the call waits for its row, so that they are read again then.
 */
export async function keepPrincipal(
  { db, access, authorize }: PrincipalScope,
  kind: PrincipalKind,
  ref: EntityRef,
  allow: Allow = () => {},
): Promise<Principal | null> {
  // A caller who may not change it locks no row.
  await allow(access, ref);
  const free = await findPrincipal(db, kind, ref, 'keepAtOnce');
  if (free) {
    // The name may have passed to another one since the rights were read.
    await allow(access, { ...ref, id: free.id, name: null });
    return free;
  }
  const meant = await findPrincipal(db, kind, ref);
  // The name may pass to another one during the wait.
  const kept = meant && (await findPrincipal(db, kind, { id: meant.id, name: null }, 'keep'));
  await allow(await authorize(), meant ? { ...ref, id: meant.id, name: null } : ref);
  return kept;
}

interface Named {
  readonly userid: EntityRef | null;
  readonly usersgroupid: EntityRef | null;
}

/** Returns what names the user or user group of a call; throws InvalidArgsError unless the call names exactly one. */
export function requireOneNamed({ userid, usersgroupid }: Named): {
  readonly kind: PrincipalKind;
  readonly ref: EntityRef;
} {
  if (userid && usersgroupid) throw new InvalidArgsError('Invalid value for `usersgroupid`: `userid` is given, too');
  if (userid) return { kind: 'user', ref: userid };
  if (!usersgroupid) throw new InvalidArgsError('Invalid value for `userid`: it or `usersgroupid` must be given');
  return { kind: 'user group', ref: usersgroupid };
}

/** Returns the client's error for a user or user group that does not exist. */
export function principalNotFound(kind: PrincipalKind, ref: EntityRef): NotFoundError {
  return kind === 'user' ? userNotFound(ref) : userGroupNotFound(ref);
}

/** Returns the user or user group that a reference names. */
export async function requirePrincipal(db: Db, kind: PrincipalKind, ref: EntityRef): Promise<Principal> {
  const found = await findPrincipal(db, kind, ref);
  if (!found) throw principalNotFound(kind, ref);
  return found;
}
