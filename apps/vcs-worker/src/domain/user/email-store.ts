import { ConflictError, type EmailAddress } from '@trunkline/contracts';
import { type Db, foldCase, type Transaction, userEmails } from '@trunkline/db';
import { and, count, eq } from 'drizzle-orm';

/** Returns the client's error for a taken address, with the address as it was sent. */
export function emailTaken(sent: string, cause?: unknown): ConflictError {
  return new ConflictError(`email \`${sent}\` already exist`, { cause });
}

/** Throws ConflictError when a user has the address as primary or additional one. */
export async function requireEmailFree(db: Db, email: EmailAddress): Promise<void> {
  const [row] = await db
    .select({ id: userEmails.id })
    .from(userEmails)
    .where(eq(userEmails.emailKey, foldCase(email.address)));
  if (row) throw emailTaken(email.sent);
}

/** How many addresses a user may have: records of the user, and of each repository that the user follows, have them all. */
const emailsMax = 100;

/** Throws ConflictError when the user, who is locked, can have no further address. */
export async function requireFewEmails(
  tx: Transaction,
  user: { readonly id: number; readonly username: string },
  { sent }: EmailAddress,
): Promise<void> {
  const [row] = await tx.select({ emails: count() }).from(userEmails).where(eq(userEmails.userId, user.id));
  if (row && row.emails < emailsMax) return;
  throw new ConflictError(
    `email \`${sent}\` cannot be added: user \`${user.username}\` has ${emailsMax} addresses already`,
  );
}

/** Adds an address beside the primary one; throws ConflictError when a user has the address. */
export async function insertEmail(db: Db, userId: number, email: EmailAddress): Promise<void> {
  const added = await db
    .insert(userEmails)
    .values({ userId, email: email.address, emailKey: foldCase(email.address) })
    .onConflictDoNothing({ target: userEmails.emailKey })
    .returning({ id: userEmails.id });
  if (added.length === 0) throw emailTaken(email.sent);
}

/**
 * Removes an additional address; returns false when the user did not have it. Throws ConflictError for the primary one.
 */
export async function removeEmail(
  db: Db,
  user: { readonly id: number; readonly username: string },
  email: string,
): Promise<boolean> {
  const ofUser = and(eq(userEmails.userId, user.id), eq(userEmails.emailKey, foldCase(email)));
  const removed = await db.delete(userEmails).where(ofUser).returning({ isPrimary: userEmails.isPrimary });
  if (removed.some(({ isPrimary }) => isPrimary)) {
    throw new ConflictError(`email \`${email}\` is the primary address of user \`${user.username}\``);
  }
  return removed.length > 0;
}

export interface Emails {
  email: string | null;
  readonly emails: string[];
}

interface UserOfEmail {
  /** The user, without any addresses yet. */
  readonly user: { readonly id: number } & Emails;
  /** One of the user's e-mail addresses; null for a user without any. */
  readonly email: string | null;
  readonly isPrimary: boolean | null;
}

/**
 * Returns the first row of each user, with all addresses, of rows that are ordered by user, with a row for each e-mail
 * address. A join reads the addresses of many users in half the time of a subquery for each; copies of the rows would cost
 * a fifth of what `get_repo` with 200 members costs the worker.
 */
export function gatherEmails<Row extends UserOfEmail>(rows: readonly Row[]): Row[] {
  const users: Row[] = [];
  let last: Row | undefined;
  for (const row of rows) {
    if (last?.user.id !== row.user.id) {
      last = row;
      users.push(row);
    }
    if (row.email !== null && row.isPrimary === true) last.user.email = row.email;
    else if (row.email !== null) last.user.emails.push(row.email);
  }
  return users;
}
