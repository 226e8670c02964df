import {
  userGlobalPermissions,
  userGroupGlobalPermissions,
  userIpAddresses,
  users,
  type Transaction,
} from '@trunkline/db';
import { and, eq, inArray, notInArray, sql } from 'drizzle-orm';
import { recordChange } from '../../record-change.ts';
import { importedKey } from '../plan/here.ts';
import type { PermissionHolders } from '../plan/plan-permissions.ts';
import type { Plan } from '../plan/plan.ts';
import { changedParts, digestParts, recordImported } from './imported-store.ts';
import { insertInChunks } from './insert-in-chunks.ts';
import { count, type Writing } from './writing.ts';

const ofDefault = sql`(select id from users where username_key = 'default')`;

/** Takes a permission from `default`, and gives it to the users whom this import does not bring and who had it so. */
async function takeFromDefault(tx: Transaction, permission: string, importedIds: readonly number[]): Promise<void> {
  const taken = await tx
    .delete(userGlobalPermissions)
    .where(and(eq(userGlobalPermissions.userId, ofDefault), eq(userGlobalPermissions.permission, permission)))
    .returning({ permission: userGlobalPermissions.permission });
  if (taken.length === 0) return;
  const others = await tx
    .select({ userId: users.id })
    .from(users)
    .where(and(notInArray(users.id, [...importedIds, 0]), sql`${users.id} <> ${ofDefault} and not ${users.admin}`));
  const rows = others.map(({ userId }) => ({ userId, permission }));
  await insertInChunks(rows, (chunk) => tx.insert(userGlobalPermissions).values(chunk).onConflictDoNothing());
}

async function writeHolders({ ids }: Writing, tx: Transaction, holders: PermissionHolders): Promise<void> {
  const { permission, everybody, userIds, userGroupIds } = holders;
  const imported = [...ids.users.values()];
  const groups = [...ids.userGroups.values(), 0];
  const { userId } = userGlobalPermissions;
  const isPermission = eq(userGlobalPermissions.permission, permission);
  await tx.delete(userGlobalPermissions).where(and(inArray(userId, [...imported, 0]), isPermission));
  const { userGroupId, permission: ofGroup } = userGroupGlobalPermissions;
  await tx.delete(userGroupGlobalPermissions).where(and(inArray(userGroupId, groups), eq(ofGroup, permission)));
  const here = (known: ReadonlyMap<number, number>, all: readonly number[]) => all.flatMap((id) => known.get(id) ?? []);
  const rows = here(ids.users, userIds).map((id) => ({ userId: id, permission }));
  await insertInChunks(rows, (chunk) => tx.insert(userGlobalPermissions).values(chunk));
  const groupRows = here(ids.userGroups, userGroupIds).map((id) => ({ userGroupId: id, permission }));
  await insertInChunks(groupRows, (chunk) => tx.insert(userGroupGlobalPermissions).values(chunk));
  if (!everybody) return takeFromDefault(tx, permission, imported);
  await tx
    .insert(userGlobalPermissions)
    .values({ userId: sql`${ofDefault}`, permission })
    .onConflictDoNothing();
}

/** Writes global permissions, those of `default` for what is created later, and the networks that apply to everybody. */
export async function writePermissions(writing: Writing, plan: Plan): Promise<void> {
  const { db, here, source, sums } = writing;
  const { permissions, commonNetworks } = plan;
  const before = here.imported.get(importedKey('settings', 0));
  const parts = digestParts({ permissions, commonNetworks });
  const changed = changedParts(before, parts);
  count(sums, !before, changed);
  if (changed.size === 0) return;
  await db.transaction(async (tx) => {
    // As the API does, changes of the default permissions and of networks wait for each other.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, ofDefault)).for('no key update');
    for (const holders of permissions.holders) await writeHolders(writing, tx, holders);
    for (const { among, permission } of permissions.chosen) {
      const { userId, permission: held } = userGlobalPermissions;
      await tx.delete(userGlobalPermissions).where(and(eq(userId, ofDefault), inArray(held, [...among])));
      await tx.insert(userGlobalPermissions).values({ userId: sql`${ofDefault}`, permission });
    }
    if (changed.has('commonNetworks')) {
      const rows = commonNetworks.map((ipAddr) => ({ userId: sql`${ofDefault}`, ipAddr }));
      if (rows.length > 0) await tx.insert(userIpAddresses).values(rows).onConflictDoNothing();
    }
    await recordChange(tx, 'update_default_permissions', { changed: [...changed] });
    await recordImported(tx, { source, kind: 'settings', sourceId: 0, objectId: 0, parts });
  });
}
