import {
  apiKeys,
  foldCase,
  generateApiKey,
  insertUserRows,
  sessions,
  toStoredKey,
  userEmails,
  userIpAddresses,
  users,
  type Transaction,
} from '@trunkline/db';
import { and, eq, isNull } from 'drizzle-orm';
import { recordChange } from '../../record-change.ts';
import { importedKey } from '../plan/here.ts';
import type { PlannedKey } from '../plan/plan-keys.ts';
import type { PlannedUser } from '../plan/plan.ts';
import { changedParts, digestParts, recordImported } from './imported-store.ts';
import { count, inBatches, type Writing } from './writing.ts';

function partsOf({ profile, passwordHash, emails, keys, networks }: PlannedUser): Record<string, string> {
  // Passwords could be guessed by a digest of a hash without a salt.
  const password = passwordHash?.startsWith('$') ? passwordHash : passwordHash !== null;
  const stated = [keys.builtin, ...keys.further].map(({ key, description, expiresAt }) => [
    key,
    description,
    expiresAt,
  ]);
  return digestParts({ profile, password, emails, keys: stated, networks });
}

async function insertKeys({ vault }: Writing, tx: Transaction, userId: number, keys: readonly PlannedKey[]) {
  for (const { key, description, expiresAt, createdAt } of keys) {
    if (key === null) continue;
    const row = { userId, description, expiresAt, ...(createdAt && { createdAt }), ...toStoredKey(vault, key) };
    // A user who is no part of the import may have the key: it stays that user's.
    await tx.insert(apiKeys).values(row).onConflictDoNothing({ target: apiKeys.hmac });
  }
}

async function insertEmails(tx: Transaction, userId: number, emails: readonly string[]): Promise<void> {
  for (const email of emails) await tx.insert(userEmails).values({ userId, email, emailKey: foldCase(email) });
}

async function insertNetworks(tx: Transaction, userId: number, networks: readonly string[]): Promise<void> {
  const rows = networks.map((ipAddr) => ({ userId, ipAddr }));
  if (rows.length > 0) await tx.insert(userIpAddresses).values(rows).onConflictDoNothing();
}

async function hasKey({ vault }: Writing, tx: Transaction, key: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(eq(apiKeys.hmac, vault.keyHmac(key)));
  return row !== undefined;
}

async function create(writing: Writing, tx: Transaction, planned: PlannedUser): Promise<number> {
  const { username, profile, passwordHash, createdAt, lastLogin, emails, keys, networks } = planned;
  const { key } = keys.builtin;
  const builtin = key === null || (await hasKey(writing, tx, key)) ? generateApiKey() : key;
  const id = await insertUserRows(tx, {
    username,
    passwordHash,
    ...profile,
    lastLogin,
    ...(createdAt && { createdAt }),
    address: emails.primary,
    key: toStoredKey(writing.vault, builtin),
  });
  await insertEmails(tx, id, emails.further);
  await insertKeys(writing, tx, id, keys.further);
  await insertNetworks(tx, id, networks);
  await recordChange(tx, 'create_user', { username, email: emails.primary });
  return id;
}

/** Replaces what has changed in the source; the name stays. */
async function change(writing: Writing, tx: Transaction, id: number, planned: PlannedUser, changed: Set<string>) {
  const { profile, passwordHash, emails, keys, networks } = planned;
  const ofUser = eq(users.id, id);
  if (changed.has('profile')) await tx.update(users).set(profile).where(ofUser);
  if (changed.has('password')) await tx.update(users).set({ passwordHash }).where(ofUser);
  if (changed.has('password') || !profile.active) await tx.delete(sessions).where(eq(sessions.userId, id));
  if (changed.has('emails')) {
    await tx.delete(userEmails).where(eq(userEmails.userId, id));
    const [email, emailKey] = [emails.primary, foldCase(emails.primary)];
    await tx.insert(userEmails).values({ userId: id, email, emailKey, isPrimary: true });
    await insertEmails(tx, id, emails.further);
  }
  if (changed.has('keys')) {
    // Limited keys are made here alone.
    await tx.delete(apiKeys).where(and(eq(apiKeys.userId, id), eq(apiKeys.builtin, false), isNull(apiKeys.limitedTo)));
    const { key } = keys.builtin;
    if (key !== null && !(await hasKey(writing, tx, key))) {
      await tx.delete(apiKeys).where(and(eq(apiKeys.userId, id), eq(apiKeys.builtin, true)));
      await tx.insert(apiKeys).values({ userId: id, builtin: true, ...toStoredKey(writing.vault, key) });
    }
    await insertKeys(writing, tx, id, keys.further);
  }
  if (changed.has('networks')) {
    await tx.delete(userIpAddresses).where(eq(userIpAddresses.userId, id));
    await insertNetworks(tx, id, networks);
  }
  await recordChange(tx, 'update_user', { userid: planned.username, changed: [...changed] });
}

export async function writeUsers(writing: Writing, planned: readonly PlannedUser[]): Promise<void> {
  const { db, here, source, ids, sums } = writing;
  await inBatches(db, planned, async (tx, user) => {
    const before = here.imported.get(importedKey('user', user.id));
    const parts = partsOf(user);
    const changed = changedParts(before, parts);
    const objectId = before?.objectId ?? (await create(writing, tx, user));
    if (before && changed.size > 0) await change(writing, tx, objectId, user, changed);
    if (changed.size > 0) await recordImported(tx, { source, kind: 'user', sourceId: user.id, objectId, parts });
    ids.users.set(user.id, objectId);
    count(sums, !before, changed);
  });
}
