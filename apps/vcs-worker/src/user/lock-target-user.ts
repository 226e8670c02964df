import type { EntityRef } from '@trunkline/contracts';
import type { Access } from '../authz/authorize.ts';
import type { WriteScope } from '../methods/context.ts';
import { lockKeys } from './api-key-store.ts';
import { requireEditable, requireTargetUser, type TargetUser } from './require-target-user.ts';

/**
 * Locks the keys of the user whom a call is about. Another call may have changed the rights or replaced the key of this one
 * while it waited, so that the rights are read again, and decide again.
 */
export async function lockTargetUser(
  { db, access, authorize }: WriteScope,
  ref: EntityRef | null,
): Promise<{ readonly access: Access; readonly user: TargetUser }> {
  const { id } = requireEditable(await requireTargetUser(db, access, ref));
  await lockKeys(db, id);
  const now = await authorize();
  const user = requireEditable(await requireTargetUser(db, now, ref && { sent: ref.sent, id, name: null }));
  return { access: now, user };
}
