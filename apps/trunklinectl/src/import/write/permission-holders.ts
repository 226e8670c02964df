import { userGlobalPermissions, userGroupGlobalPermissions, userGroups, users, type Transaction } from '@trunkline/db';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { PermissionHolders } from '../plan/plan-permissions.ts';
import { inChunks, type Writing } from './writing.ts';
import type { Pairs } from './merge.ts';
import { holderOf } from './rights.ts';

/** Stands for everybody where each user has the permission as the own one. */
const each = 'each';

/**
 * Returns who holds a permission in the source, by its ids. Where others use the instance, `default` gets none that it
 * has not: each user of the source gets it, and so does who comes to the source later.
 */
export function wantedHolders(
  { permission, everybody, havingIds, userIds, userGroupIds }: PermissionHolders,
  before: Pairs,
  { held, isShared }: { readonly held: ReadonlySet<string>; readonly isShared: boolean },
): Pairs {
  const isNew = before[each] === undefined && before['everybody'] === undefined;
  const isForEach = everybody && (isNew ? isShared && !held.has(permission) : before[each] !== undefined);
  return {
    ...(everybody && { [isForEach ? each : 'everybody']: 1 }),
    ...Object.fromEntries((isForEach ? havingIds : userIds).map((id) => [`user ${id}`, 1])),
    ...Object.fromEntries(userGroupIds.map((id) => [`group ${id}`, 1])),
  };
}

/** Reads which imported holders have a permission of their own, and whether `default` has it. */
export async function readHolders(
  { ids, defaultUserId }: Writing,
  tx: Transaction,
  { permission, wanted }: { readonly permission: string; readonly wanted: Pairs },
): Promise<Pairs> {
  const [byUser, byGroup] = [userGlobalPermissions, userGroupGlobalPermissions];
  const own = await tx.select({ id: byUser.userId }).from(byUser).where(eq(byUser.permission, permission));
  const ofGroups = await tx.select({ id: byGroup.userGroupId }).from(byGroup).where(eq(byGroup.permission, permission));
  const [people, groups] = [own, ofGroups].map((rows) => new Set(rows.map(({ id }) => id)));
  const named = (word: string, known: ReadonlyMap<number, number>, found: ReadonlySet<number> | undefined) =>
    [...known].flatMap(([sourceId, id]): [string, number][] => (found?.has(id) ? [[`${word} ${sourceId}`, 1]] : []));
  return {
    ...(people?.has(defaultUserId) && { everybody: 1 }),
    // It is no row, and as the source wants it.
    ...(wanted[each] !== undefined && { [each]: 1 }),
    ...Object.fromEntries([...named('user', ids.users, people), ...named('group', ids.userGroups, groups)]),
  };
}

/** Takes a permission from `default`, and gives it to the users whom this import does not bring and who had it so. */
async function takeFromDefault(writing: Writing, tx: Transaction, permission: string): Promise<void> {
  const { ids, here, findings, defaultUserId } = writing;
  const { userId, permission: held } = userGlobalPermissions;
  const taken = await tx
    .delete(userGlobalPermissions)
    .where(and(eq(userId, defaultUserId), eq(held, permission)))
    .returning({ userId });
  // An administrator has revoked it meanwhile, and from everybody.
  if (taken.length === 0) return;
  const all = await tx
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.id} <> ${defaultUserId} and not ${users.admin}`);
  const imported = new Set(ids.users.values());
  await grant(
    tx,
    'user',
    permission,
    all.map(({ id }) => id).filter((id) => !imported.has(id)),
  );
  if (!here.isShared) return;
  const what = `\`${permission}\` is taken from it: the users who had it so, and are not imported, have it as their own`;
  findings.push({ kind: 'differs', about: 'user default', what });
}

type Holder = 'user' | 'group';

/** Gives a permission to holders; those that somebody deletes meanwhile are left out. */
async function grant(tx: Transaction, kind: Holder, permission: string, ids: readonly number[]): Promise<void> {
  const isUser = kind === 'user';
  const [table, holders] = isUser ? [userGlobalPermissions, users] : [userGroupGlobalPermissions, userGroups];
  const holder = sql.identifier(isUser ? 'user_id' : 'user_group_id');
  await inChunks(ids, (chunk) =>
    tx.execute(sql`insert into ${table} (${holder}, permission)
      select h.id, ${permission}::text from ${holders} h where ${inArray(sql`h.id`, chunk)} order by h.id for key share of h
      on conflict do nothing`),
  );
}

async function revoke(tx: Transaction, kind: Holder, permission: string, ids: readonly number[]): Promise<void> {
  const [byUser, byGroup] = [userGlobalPermissions, userGroupGlobalPermissions];
  await inChunks(ids, (chunk) =>
    kind === 'user'
      ? tx.delete(byUser).where(and(inArray(byUser.userId, chunk), eq(byUser.permission, permission)))
      : tx.delete(byGroup).where(and(inArray(byGroup.userGroupId, chunk), eq(byGroup.permission, permission))),
  );
}

/**
 * Writes pairs of a permission, null for those that go. Each is a statement that does nothing where an administrator has
 * done the same meanwhile.
 */
export async function writeHolders(
  writing: Writing,
  tx: Transaction,
  permission: string,
  apply: ReadonlyMap<string, number | null>,
): Promise<void> {
  const named = (kind: Holder, isGranted: boolean) =>
    [...apply].flatMap(([key, value]) =>
      key.startsWith(`${kind} `) && (value !== null) === isGranted ? (holderOf(writing, key) ?? []) : [],
    );
  for (const kind of ['user', 'group'] as const) {
    await revoke(tx, kind, permission, named(kind, false));
    await grant(tx, kind, permission, named(kind, true));
  }
  const common = apply.get('everybody');
  if (common === null) await takeFromDefault(writing, tx, permission);
  else if (common !== undefined) await grant(tx, 'user', permission, [writing.defaultUserId]);
}
