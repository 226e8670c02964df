import { apiKeys, toStoredKey, type Transaction } from '@trunkline/db';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { PlannedKey } from '../plan/plan-keys.ts';
import { isSealed, openSealed, plainDigest } from './secrets.ts';
import { changeOfList } from './merge.ts';
import type { Writing } from './writing.ts';

/** Keys are random: a digest without a key of the instance tells nothing of them, and outlives a new secret. */
const separator = ' ';

/** Returns what is kept of keys: a digest of each, and one of what is said of it. */
export function entriesOf(keys: readonly PlannedKey[]): string[] {
  return keys.flatMap(({ key, description, expiresAt }) =>
    key === null ? [] : [[plainDigest(key), plainDigest([description, expiresAt])].join(separator)],
  );
}

const keyOf = (entry: string) => entry.split(separator)[0] ?? '';

export async function hasKey({ vault }: Writing, tx: Transaction, key: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(inArray(apiKeys.hmac, [...vault.keyHmacs(key)]));
  return row !== undefined;
}

export async function insertKeys(
  writing: Writing,
  tx: Transaction,
  userId: number,
  keys: readonly PlannedKey[],
): Promise<void> {
  const { vault } = writing;
  for (const { key, description, expiresAt, createdAt } of keys) {
    // A user who is no part of the import may have the key: it stays that user's.
    if (key === null || (await hasKey(writing, tx, key))) continue;
    const row = { userId, description, expiresAt, ...(createdAt && { createdAt }), ...toStoredKey(vault, key) };
    await tx.insert(apiKeys).values(row);
  }
}

/** A user here, and what the report calls the user. */
export interface UserHere {
  readonly id: number;
  readonly about: string;
}

/** Returns the ids of a user's further keys that have all rights, by digest; those that cannot be opened serve nobody. */
async function readFurtherKeys({ vault, findings }: Writing, tx: Transaction, { id: userId, about }: UserHere) {
  const rows = await tx
    .select({ id: apiKeys.id, sealed: apiKeys.sealed })
    .from(apiKeys)
    // Limited keys are made here alone.
    .where(and(eq(apiKeys.userId, userId), eq(apiKeys.builtin, false), isNull(apiKeys.limitedTo)));
  const opened = rows.map(({ id, sealed }) => ({ id, key: openSealed(vault, sealed) }));
  const closed = opened.filter(({ key }) => key === undefined).length;
  if (closed > 0) findings.push({ kind: 'differs', about, what: `each of ${closed} keys ${isSealed}` });
  return new Map(opened.flatMap(({ id, key }) => (key === undefined ? [] : [[plainDigest(key), id]])));
}

/**
 * Brings which further keys the source has added, changed and removed since the last import; returns whether there were
 * any. A key that was removed here stays removed.
 */
export async function changeKeys(
  writing: Writing,
  tx: Transaction,
  user: UserHere,
  before: readonly string[],
  keys: readonly PlannedKey[],
): Promise<boolean> {
  const { added, removed } = changeOfList(before, entriesOf(keys));
  if (added.length + removed.length === 0) return false;
  const here = await readFurtherKeys(writing, tx, user);
  const ids = removed.flatMap((entry) => here.get(keyOf(entry)) ?? []);
  if (ids.length > 0) await tx.delete(apiKeys).where(inArray(apiKeys.id, ids));
  const known = new Set(before.map(keyOf));
  const isToInsert = (key: PlannedKey) =>
    entriesOf([key]).some((entry) => added.includes(entry) && (!known.has(keyOf(entry)) || here.has(keyOf(entry))));
  await insertKeys(writing, tx, user.id, keys.filter(isToInsert));
  return true;
}
