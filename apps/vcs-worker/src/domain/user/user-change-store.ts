import type { EmailAddress, OperationFailedError, RpcError } from '@trunkline/contracts';
import { foldCase, isForeignKeyViolation, isUniqueViolation, userEmails, users, type Transaction } from '@trunkline/db';
import { and, eq, or } from 'drizzle-orm';
import { changesSomething } from '../../changes-something.ts';

export interface UserChange {
  readonly username?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly firstname?: string | undefined;
  readonly lastname?: string | undefined;
  readonly active?: boolean | undefined;
  readonly admin?: boolean | undefined;
  readonly ldapDn?: string | undefined;
}

/**
 * Returns whether an active administrator remains without this user, who need not be one. Locks every active
 * administrator's row, so that two concurrent demotions are serialised.
 */
export async function otherAdminRemains(tx: Transaction, userId: number): Promise<boolean> {
  const admins = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.admin, true), eq(users.active, true)))
    .orderBy(users.id)
    .for('update');
  return admins.every(({ id }) => id !== userId) || admins.length > 1;
}

/** Changes a user; throws `failure` when another user has the new name or address. */
export async function changeUser(
  tx: Transaction,
  userId: number,
  { username, ...rest }: UserChange,
  email: EmailAddress | null,
  failure: (cause: unknown) => RpcError,
): Promise<void> {
  const named = username === undefined ? {} : { username, usernameKey: foldCase(username) };
  const change = { ...named, ...rest };
  try {
    if (changesSomething(change)) await tx.update(users).set(change).where(eq(users.id, userId));
    if (email === null) return;
    const primary = { userId, email: email.address, emailKey: foldCase(email.address), isPrimary: true };
    // One of the user's additional addresses may become the primary one.
    const replaced = or(eq(userEmails.isPrimary, true), eq(userEmails.emailKey, primary.emailKey));
    await tx.delete(userEmails).where(and(eq(userEmails.userId, userId), replaced));
    await tx.insert(userEmails).values(primary);
  } catch (error) {
    if (isUniqueViolation(error)) throw failure(error);
    throw error;
  }
}

/**
 * Removes a user; returns false when the user was gone already. Throws `failure` when the user still owns something.
 */
export async function removeUser(
  tx: Transaction,
  userId: number,
  failure: (cause: unknown) => OperationFailedError,
): Promise<boolean> {
  try {
    const removed = await tx.delete(users).where(eq(users.id, userId)).returning({ id: users.id });
    return removed.length > 0;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw failure(error);
    throw error;
  }
}
