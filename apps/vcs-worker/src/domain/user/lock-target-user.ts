import type { EntityRef } from '@trunkline/contracts';
import { users, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import type { Access } from '../../authz/authorize.ts';
import { requireEditable, requireTargetUser, type TargetUser } from './require-target-user.ts';
import type { WriteScope } from '../../write-scope.ts';

/** Keeps other transactions that lock the user, too, from changing keys or adding addresses until this one ends. */
async function lockUser(tx: Transaction, userId: number): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
}

/**
 * Locks the keys and e-mail addresses of the user whom a call is about. Another call may have changed the rights or replaced
 * the key of this one while it waited, so that the rights are read again, and decide again.
 */
export async function lockTargetUser(
  { db, access, authorize }: WriteScope,
  ref: EntityRef | null,
): Promise<{ readonly access: Access; readonly user: TargetUser }> {
  const { id } = requireEditable(await requireTargetUser(db, access, ref));
  await lockUser(db, id);
  const now = await authorize();
  const user = requireEditable(await requireTargetUser(db, now, ref && { sent: ref.sent, id, name: null }));
  return { access: now, user };
}
