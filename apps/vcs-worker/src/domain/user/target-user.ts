import { type EntityRef, ForbiddenError } from '@trunkline/contracts';
import { type Db, type Transaction, users } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import type { Access } from '../../authz/authorize.ts';
import { requireUser } from './user-store.ts';
import type { WriteScope } from '../../write-scope.ts';

/** Returns whether a reference names the caller, by id or by name. */
export function isSelf({ user }: Pick<Access, 'user'>, ref: EntityRef): boolean {
  return ref.id === user.id || ref.name === user.username;
}

/** Throws ForbiddenError when a user who is not an administrator names another user, by id or by name. */
export function requireSelf(access: Pick<Access, 'user'>, ref: EntityRef): void {
  if (access.user.admin || isSelf(access, ref)) return;
  throw new ForbiddenError('userid is not the same as your user');
}

export interface TargetUser {
  readonly id: number;
  readonly username: string;
}

/** Returns the user whom a call is about: the caller or, for an administrator, any user. */
export async function requireTargetUser(db: Db, access: Access, ref: EntityRef | null): Promise<TargetUser> {
  if (!ref) return access.user;
  requireSelf(access, ref);
  return requireUser(db, ref);
}

/** Returns what names the user whom a call is about, the caller without a reference. */
export function refToTarget({ user: { id, username } }: Access, ref: EntityRef | null): EntityRef {
  return ref ?? { sent: username, id, name: null };
}

/** Throws ForbiddenError for the user `default`, whose record cannot be edited. */
export function requireEditable<S extends TargetUser>(user: S): S {
  if (user.username === 'default') throw new ForbiddenError('editing default user is forbidden');
  return user;
}

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
