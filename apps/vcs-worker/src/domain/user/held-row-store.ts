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
import { eq, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import {
  findPrincipal,
  principals,
  type Allow,
  type Principal,
  type PrincipalKind,
  type PrincipalScope,
} from './principal.ts';

const given = sql.placeholder;

/** Where a row of a principal stands, and what it is about: the type of the object's column, and whether it has a level. */
interface Place {
  readonly table: PgTable;
  readonly kind: PrincipalKind;
  readonly object: string;
  readonly isPermission?: true;
  readonly hasLevel?: true;
}

/** Rows by each of which a user or user group has something: a level, a global permission, a membership. */
function heldRows({ table, kind, object, isPermission, hasLevel }: Place) {
  const [principal, about] = [principals[kind].column, sql.identifier(object)];
  const objectId = sql`${given('object')}::${sql.raw(isPermission ? 'text' : 'int')}`;
  const row = sql`from ${table} where ${principal} = ${given('id')}::int and ${about} = ${objectId}`;
  const level = hasLevel ? sql`, ${given('level')}::int` : sql``;
  const columns = sql`(${principal}, ${about}${hasLevel ? sql`, level` : sql``})`;
  // A changed level keeps its position in the order of grants.
  const known = hasLevel ? sql`(${principal}, ${about}) do update set level = excluded.level` : sql`do nothing`;
  return {
    kind,
    add: preparedSql(sql`insert into ${table} ${columns} values (${given('id')}::int, ${objectId}${level})
      on conflict ${known} returning 1`),
    find: preparedSql(sql`select 1 ${row}`),
    removeAtOnce: preparedSql(sql`delete from ${table} where (${principal}, ${about}) in
      (select ${principal}, ${about} ${row} for update skip locked) returning 1`),
    lock: preparedSql(sql`select 1 ${row} for update`),
  };
}

export type HeldRows = ReturnType<typeof heldRows>;

export async function isHeld(db: Db, rows: HeldRows, id: number, object: number): Promise<boolean> {
  return (await rows.find(db).execute({ id, object })).length > 0;
}

const levelOf = (kind: PrincipalKind, table: PgTable, object: string) =>
  heldRows({ table, kind, object, hasLevel: true });

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

/**
 * Removes a row of the user or user group that a call names. It waits for that row, after which the rights are read again,
 * and not for the row of the user or group, which a revocation does not need to stay.
 */
export async function removeHeldRow(
  { db, access, authorize }: PrincipalScope,
  rows: HeldRows,
  { principal: ref, object, allow = () => {} }: { principal: EntityRef; object: number | string; allow?: Allow },
): Promise<{ readonly principal: Principal | null; readonly changed: boolean }> {
  const found = await findPrincipal(db, rows.kind, ref);
  // The name may have passed to another one since the rights were read.
  const foundRef = found ? { ...ref, id: found.id, name: null } : ref;
  await allow(access, foundRef);
  if (!found) return { principal: null, changed: false };
  const row = { id: found.id, object };
  const remove = async () => (await rows.removeAtOnce(db).execute(row)).length > 0;
  if (await remove()) return { principal: found, changed: true };
  await rows.lock(db).execute(row);
  await allow(await authorize(), foundRef);
  const principal = await findPrincipal(db, rows.kind, { id: found.id, name: null });
  return { principal, changed: await remove() };
}

/** Lists the global permissions that a user or user group has by itself. */
export async function listGrants(db: Db, kind: PrincipalKind, id: number): Promise<string[]> {
  const [ofUser, ofGroup] = [userGlobalPermissions, userGroupGlobalPermissions];
  const rows =
    kind === 'user'
      ? await db.select({ permission: ofUser.permission }).from(ofUser).where(eq(ofUser.userId, id))
      : await db.select({ permission: ofGroup.permission }).from(ofGroup).where(eq(ofGroup.userGroupId, id));
  return rows.map(({ permission }) => permission).toSorted();
}
