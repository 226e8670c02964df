import type { EmailAddress, OperationFailedError, RpcError } from '@trunkline/contracts';
import {
  type Db,
  foldCase,
  isForeignKeyViolation,
  isUniqueViolation,
  type Transaction,
  userEmails,
  users,
} from '@trunkline/db';
import { and, eq, or, sql } from 'drizzle-orm';
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

/** Reads a user's password hash, and the LDAP name of a user whom the LDAP server authenticates. */
export async function findPassword(
  db: Db,
  userId: number,
): Promise<{ passwordHash: string | null; ldapDn: string | null }> {
  const [row] = await db
    .select({ passwordHash: users.passwordHash, ldapDn: users.ldapDn })
    .from(users)
    .where(eq(users.id, userId));
  return row ?? { passwordHash: null, ldapDn: null };
}

/** Replaces a password hash; returns false when another change came first. */
export async function replacePassword(
  db: Db,
  userId: number,
  passwordHash: string | null,
  newHash: string,
): Promise<boolean> {
  const replaced = await db
    .update(users)
    .set({ passwordHash: newHash })
    .where(and(eq(users.id, userId), sql`${users.passwordHash} is not distinct from ${passwordHash}`))
    .returning({ id: users.id });
  return replaced.length > 0;
}
