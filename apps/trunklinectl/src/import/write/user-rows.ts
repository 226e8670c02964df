import {
  apiKeys,
  foldCase,
  sessions,
  toStoredKey,
  userEmails,
  userIpAddresses,
  users,
  type Transaction,
} from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import type { PlannedEmails } from '../plan/plan-emails.ts';
import type { PlannedUser } from '../plan/plan.ts';
import { isSealed, openSealed } from './secrets.ts';
import { hasKey, type UserHere } from './user-keys.ts';
import type { Writing } from './writing.ts';

/** Returns addresses in a form that can be compared: the primary one, then the others in order. */
export function emailsOf({ primary, further }: PlannedEmails): string[] {
  return [primary, ...further.toSorted()];
}

export async function insertEmails(tx: Transaction, userId: number, emails: readonly string[]): Promise<void> {
  for (const email of emails) await tx.insert(userEmails).values({ userId, email, emailKey: foldCase(email) });
}

export async function insertNetworks(tx: Transaction, userId: number, networks: readonly string[]): Promise<void> {
  const rows = networks.map((ipAddr) => ({ userId, ipAddr }));
  if (rows.length > 0) await tx.insert(userIpAddresses).values(rows).onConflictDoNothing();
}

/** Reads the parts of a user as they are here, and locks the user's row. */
export async function readUser(
  { vault, findings }: Writing,
  tx: Transaction,
  { id, about }: UserHere,
): Promise<Record<string, unknown>> {
  const { firstname, lastname, active, admin, ldapDn, externType, externName, passwordHash } = users;
  const [row] = await tx
    .select({ firstname, lastname, active, admin, ldapDn, externType, externName, passwordHash })
    .from(users)
    .where(eq(users.id, id))
    .for('update');
  if (!row) return {};
  const emails = await tx.select().from(userEmails).where(eq(userEmails.userId, id));
  const networks = await tx.select().from(userIpAddresses).where(eq(userIpAddresses.userId, id));
  const [key] = await tx
    .select({ sealed: apiKeys.sealed })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, id), eq(apiKeys.builtin, true)));
  const builtinKey = key ? openSealed(vault, key.sealed) : null;
  if (builtinKey === undefined) findings.push({ kind: 'differs', about, what: `the built-in key ${isSealed}` });
  return {
    firstname: row.firstname,
    lastname: row.lastname,
    active: row.active,
    admin: row.admin,
    external: [row.ldapDn, row.externType, row.externName],
    password: row.passwordHash,
    emails: emailsOf({
      primary: emails.find(({ isPrimary }) => isPrimary)?.email ?? '',
      further: emails.filter(({ isPrimary }) => !isPrimary).map(({ email }) => email),
    }),
    networks: networks.map(({ ipAddr }) => ipAddr).toSorted(),
    builtinKey,
  };
}

async function replaceBuiltin(writing: Writing, tx: Transaction, userId: number, key: string | null): Promise<void> {
  if (key === null || (await hasKey(writing, tx, key))) return;
  await tx.delete(apiKeys).where(and(eq(apiKeys.userId, userId), eq(apiKeys.builtin, true)));
  await tx.insert(apiKeys).values({ userId, builtin: true, ...toStoredKey(writing.vault, key) });
}

/** Writes parts of a user; who is no longer let in, or has another password, is signed out. */
export async function changeUser(
  writing: Writing,
  tx: Transaction,
  id: number,
  { profile, passwordHash, emails, keys, networks }: PlannedUser,
  changed: ReadonlySet<string>,
): Promise<void> {
  const { firstname, lastname, active, admin, ldapDn, externType, externName } = profile;
  const values = {
    ...(changed.has('firstname') && { firstname }),
    ...(changed.has('lastname') && { lastname }),
    ...(changed.has('active') && { active }),
    ...(changed.has('admin') && { admin }),
    ...(changed.has('external') && { ldapDn, externType, externName }),
    ...(changed.has('password') && { passwordHash }),
  };
  if (Object.keys(values).length > 0) await tx.update(users).set(values).where(eq(users.id, id));
  if (['active', 'password', 'external'].some((part) => changed.has(part))) {
    await tx.delete(sessions).where(eq(sessions.userId, id));
  }
  if (changed.has('emails')) {
    await tx.delete(userEmails).where(eq(userEmails.userId, id));
    const [email, emailKey] = [emails.primary, foldCase(emails.primary)];
    await tx.insert(userEmails).values({ userId: id, email, emailKey, isPrimary: true });
    await insertEmails(tx, id, emails.further);
  }
  if (changed.has('networks')) {
    await tx.delete(userIpAddresses).where(eq(userIpAddresses.userId, id));
    await insertNetworks(tx, id, networks);
  }
  if (changed.has('builtinKey')) await replaceBuiltin(writing, tx, id, keys.builtin.key);
}
