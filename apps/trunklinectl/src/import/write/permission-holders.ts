import { userGlobalPermissions, userGroupGlobalPermissions, users, type Transaction } from '@trunkline/db';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { PermissionHolders } from '../plan/plan-permissions.ts';
import { inChunks } from './in-chunks.ts';
import type { Writing } from './writing.ts';

export const ofDefault = sql<number>`(select id from users where username_key = 'default')`;

/** Who holds a permission: everybody through `default`, and those among the imported who have rows of their own. */
interface Holders {
  readonly everybody: boolean;
  readonly users: readonly number[];
  readonly userGroups: readonly number[];
}

const inOrder = (ids: readonly number[]) => ids.toSorted((one, other) => one - other);

/** Returns who is to hold a permission here. Where others use the instance, `default` never gets one for everybody. */
export function wantedHolders(
  { ids, here }: Writing,
  { permission, everybody, havingIds, userIds, userGroupIds }: PermissionHolders,
  held: ReadonlySet<string>,
): Holders {
  const known = (map: ReadonlyMap<number, number>, all: readonly number[]) => all.flatMap((id) => map.get(id) ?? []);
  const isForEach = everybody && here.isShared && !held.has(permission);
  return {
    everybody: everybody && !isForEach,
    users: inOrder(known(ids.users, isForEach ? havingIds : userIds)),
    userGroups: inOrder(known(ids.userGroups, userGroupIds)),
  };
}

export async function readHolders({ ids }: Writing, tx: Transaction, permission: string): Promise<Holders> {
  const own = await tx
    .select({
      id: userGlobalPermissions.userId,
      isDefault: sql<boolean>`${userGlobalPermissions.userId} = ${ofDefault}`,
    })
    .from(userGlobalPermissions)
    .where(eq(userGlobalPermissions.permission, permission));
  const ofGroups = await tx
    .select({ id: userGroupGlobalPermissions.userGroupId })
    .from(userGroupGlobalPermissions)
    .where(eq(userGroupGlobalPermissions.permission, permission));
  const [people, groups] = [new Set(ids.users.values()), new Set(ids.userGroups.values())];
  return {
    everybody: own.some(({ isDefault }) => isDefault),
    users: inOrder(own.filter(({ id }) => people.has(id)).map(({ id }) => id)),
    userGroups: inOrder(ofGroups.filter(({ id }) => groups.has(id)).map(({ id }) => id)),
  };
}

/** Takes a permission from `default`, and gives it to the users whom this import does not bring and who had it so. */
async function takeFromDefault({ ids, here, findings }: Writing, tx: Transaction, permission: string): Promise<void> {
  const { userId, permission: held } = userGlobalPermissions;
  await tx.delete(userGlobalPermissions).where(and(eq(userId, ofDefault), eq(held, permission)));
  const all = await tx
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.id} <> ${ofDefault} and not ${users.admin}`);
  const imported = new Set(ids.users.values());
  const rows = all.filter(({ id }) => !imported.has(id)).map(({ id }) => ({ userId: id, permission }));
  await inChunks(rows, (chunk) => tx.insert(userGlobalPermissions).values(chunk).onConflictDoNothing());
  if (!here.isShared) return;
  const what = `\`${permission}\` is taken from it: the users who had it so, and are not imported, have it as their own`;
  findings.push({ kind: 'differs', about: 'user default', what });
}

/** Writes who holds a permission; `held` has what `default` holds. */
export async function writeHolders(
  writing: Writing,
  tx: Transaction,
  holders: PermissionHolders,
  held: ReadonlySet<string>,
): Promise<void> {
  const { ids } = writing;
  const { permission } = holders;
  const wanted = wantedHolders(writing, holders, held);
  const { userId, permission: ofUser } = userGlobalPermissions;
  await inChunks([...ids.users.values()], (chunk) =>
    tx.delete(userGlobalPermissions).where(and(inArray(userId, chunk), eq(ofUser, permission))),
  );
  const { userGroupId, permission: ofGroup } = userGroupGlobalPermissions;
  await inChunks([...ids.userGroups.values()], (chunk) =>
    tx.delete(userGroupGlobalPermissions).where(and(inArray(userGroupId, chunk), eq(ofGroup, permission))),
  );
  const rows = wanted.users.map((id) => ({ userId: id, permission }));
  await inChunks(rows, (chunk) => tx.insert(userGlobalPermissions).values(chunk));
  const groupRows = wanted.userGroups.map((id) => ({ userGroupId: id, permission }));
  await inChunks(groupRows, (chunk) => tx.insert(userGroupGlobalPermissions).values(chunk));
  if (!wanted.everybody && !holders.everybody && held.has(permission)) await takeFromDefault(writing, tx, permission);
  if (!wanted.everybody || held.has(permission)) return;
  await tx.insert(userGlobalPermissions).values({ userId: sql`${ofDefault}`, permission });
}
