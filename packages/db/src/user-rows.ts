import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { openDatabase, type Db, type Transaction } from './database.ts';
import { foldCase } from './schema/columns.ts';
import { apiKeys, userEmails, users } from './schema/users.ts';
import type { SecretVault } from './secret-vault.ts';

/** A key as stored: an HMAC by which the key is found, and the sealed key, which can be shown again. */
export interface StoredKey {
  readonly hmac: Buffer;
  readonly sealed: Buffer;
  readonly secretId: string;
}

export function toStoredKey(vault: SecretVault, key: string): StoredKey {
  return { hmac: vault.keyHmac(key), sealed: vault.seal(key), secretId: vault.secretId };
}

export interface NewUserRows extends Omit<typeof users.$inferInsert, 'usernameKey'> {
  /** The primary address. */
  readonly address: string;
  /** The built-in key. */
  readonly key: StoredKey;
}

/** Inserts a user with primary address and built-in key; returns the id. Fails when name or address are taken. */
export async function insertUserRows(db: Db, { address, key, ...user }: NewUserRows): Promise<number> {
  const [row] = await db
    .insert(users)
    .values({ ...user, usernameKey: foldCase(user.username) })
    .returning({ id: users.id });
  if (!row) throw new Error('no user was inserted');
  await db.insert(userEmails).values({ userId: row.id, email: address, emailKey: foldCase(address), isPrimary: true });
  await db.insert(apiKeys).values({ userId: row.id, builtin: true, ...key });
  return row.id;
}

/**
 * Replaces the row, not the key in the row: workers identify a key by its row's id, and so refuse a replaced key that a
 * gateway has cached.
 */
export async function replaceBuiltinKey(
  tx: Transaction,
  userId: number,
  key: StoredKey,
): Promise<typeof apiKeys.$inferSelect> {
  await tx.delete(apiKeys).where(and(eq(apiKeys.userId, userId), eq(apiKeys.builtin, true)));
  const [row] = await tx
    .insert(apiKeys)
    .values({ userId, ...key, builtin: true })
    .returning();
  if (!row) throw new Error('no key was inserted');
  return row;
}

/**
 * SQL expression for a digest of what decides on a user's password: it changes with the password and with the way in
 * which it is checked. A password's hash has a random salt, so the digest tells nothing of the password.
 */
export const passwordFingerprint = sql<string>`encode(sha256(convert_to(
  concat(${users.passwordHash}, ' ', ${users.ldapDn}), 'UTF8')), 'hex')`;

/** Returns the id of the first active administrator, who owns what is created without an owner; undefined for none. */
export async function findFirstAdminId(db: Db): Promise<number | undefined> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(users.admin, users.active))
    .orderBy(asc(users.id))
    .limit(1);
  return row?.id;
}

/**
 * Finds the first administrator whose built-in API key works, for `npm start` to print; null when there is none.
 * Throws as `SecretVault.open` does when the key cannot be decrypted.
 */
export async function findFirstAdmin(
  databaseUrl: string,
  vault: SecretVault,
): Promise<{ username: string; apiKey: string } | null> {
  const { db, close } = openDatabase(databaseUrl, { connectionsMax: 1, name: 'trunkline start' });
  try {
    const [row] = await db
      .select({ username: users.username, sealed: apiKeys.sealed })
      .from(users)
      .innerJoin(apiKeys, and(eq(apiKeys.userId, users.id), eq(apiKeys.builtin, true)))
      .where(and(users.admin, users.active, or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`))))
      .orderBy(asc(users.id))
      .limit(1);
    return row ? { username: row.username, apiKey: vault.open(row.sealed) } : null;
  } finally {
    await close();
  }
}
