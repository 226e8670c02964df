import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { openDatabase } from './database.ts';
import { apiKeys, users } from './schema/users.ts';
import type { SecretVault } from './secret-vault.ts';

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
