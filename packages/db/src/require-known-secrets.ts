import { isNotNull, notInArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { repositories } from './schema/repositories.ts';
import { apiKeys } from './schema/users.ts';
import type { SecretVault } from './secret-vault.ts';

function opens(vault: SecretVault, sealed: Buffer): boolean {
  try {
    vault.open(sealed);
    return true;
  } catch {
    return false;
  }
}

/**
 * Throws when the database has an API key or a sealed clone URL that was written under a secret unknown to the vault:
 * the key would not be found, and the URL could not be decrypted.
 */
export async function requireKnownSecrets(db: Database, vault: SecretVault): Promise<void> {
  const [foreign] = await db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(notInArray(apiKeys.secretId, [...vault.secretIds]))
    .limit(1);
  const sealed = await db
    .select({ cloneUri: repositories.cloneUriSealed })
    .from(repositories)
    .where(isNotNull(repositories.cloneUriSealed));
  if (foreign || sealed.some(({ cloneUri }) => cloneUri && !opens(vault, cloneUri))) {
    throw new Error(
      'This database was written under a secret that is neither TRUNKLINE_SECRET nor one of TRUNKLINE_OLD_SECRETS',
    );
  }
}
