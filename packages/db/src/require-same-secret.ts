import { ne } from 'drizzle-orm';
import type { Database } from './database.ts';
import { apiKeys } from './schema/users.ts';
import type { SecretVault } from './secret-vault.ts';

/** Throws when keys in this database were stored under another secret: nobody could sign in, nothing be opened. */
export async function requireSameSecret(db: Database, vault: SecretVault): Promise<void> {
  const [foreign] = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(ne(apiKeys.secretId, vault.secretId))
    .limit(1);
  if (foreign) throw new Error('TRUNKLINE_SECRET is not the one that this database was written with');
}
