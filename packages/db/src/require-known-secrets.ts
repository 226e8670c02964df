import { and, asc, gt, isNotNull, isNull, notInArray } from 'drizzle-orm';
import type { Database } from './database.ts';
import { deletedRepositories } from './schema/deleted-repositories.ts';
import { repositories } from './schema/repositories.ts';
import { apiKeys } from './schema/users.ts';
import type { SecretVault } from './secret-vault.ts';

const rowsAtOnce = 500;

function opens(vault: SecretVault, sealed: Buffer): boolean {
  try {
    vault.open(sealed);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns whether the vault opens the clone URLs that early releases sealed without the id of their secret. Workers add
 * the id to those soon after their start.
 */
async function opensEarlyCloneUris(db: Database, vault: SecretVault): Promise<boolean> {
  for (let after = 0; ;) {
    const rows = await db
      .select({ id: repositories.id, sealed: repositories.cloneUriSealed })
      .from(repositories)
      .where(
        and(gt(repositories.id, after), isNotNull(repositories.cloneUriSealed), isNull(repositories.cloneUriSecretId)),
      )
      .orderBy(asc(repositories.id))
      .limit(rowsAtOnce);
    if (rows.some(({ sealed }) => sealed && !opens(vault, sealed))) return false;
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return true;
    after = last.id;
  }
}

function refuseUnless(isKnown: boolean): void {
  if (isKnown) return;
  throw new Error(
    'This database was written under a secret that is neither TRUNKLINE_SECRET nor one of TRUNKLINE_OLD_SECRETS',
  );
}

/** Throws when the database has an API key that was written under a secret unknown to the vault: it would not be found. */
export async function requireKnownKeys(db: Database, vault: SecretVault): Promise<void> {
  const known = [...vault.secretIds];
  const [key] = await db.select({ id: apiKeys.id }).from(apiKeys).where(notInArray(apiKeys.secretId, known)).limit(1);
  refuseUnless(!key);
}

/**
 * Throws as `requireKnownKeys` does, and when the database has a sealed clone URL that the vault cannot open, which
 * workers alone do.
 */
export async function requireKnownSecrets(db: Database, vault: SecretVault): Promise<void> {
  await requireKnownKeys(db, vault);
  const [cloneUri] = await db
    .select({ id: repositories.id })
    .from(repositories)
    .where(and(isNotNull(repositories.cloneUriSealed), notInArray(repositories.cloneUriSecretId, [...vault.secretIds])))
    .limit(1);
  const [ofDeleted] = await db
    .select({ id: deletedRepositories.repositoryId })
    .from(deletedRepositories)
    .where(
      and(
        isNotNull(deletedRepositories.cloneUriSealed),
        notInArray(deletedRepositories.cloneUriSecretId, [...vault.secretIds]),
      ),
    )
    .limit(1);
  refuseUnless(!cloneUri && !ofDeleted && (await opensEarlyCloneUris(db, vault)));
}
