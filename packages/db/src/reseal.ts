import { and, asc, eq, gt, isNotNull, ne, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { deletedRepositories } from './schema/deleted-repositories.ts';
import { repositories } from './schema/repositories.ts';
import { apiKeys } from './schema/users.ts';
import type { SecretVault } from './secret-vault.ts';
import { toStoredKey } from './user-rows.ts';

/** The result of one batch of rows; `next` is null after the last batch. */
interface Resealed {
  readonly written: number;
  /** Number of rows that none of the secrets opens. */
  readonly unreadable: number;
  readonly next: number | null;
}

type ResealBatch = (db: Database, vault: SecretVault, after: number) => Promise<Resealed>;

const rowsAtOnce = 100;

interface SealedRow {
  readonly id: number;
  readonly sealed: Buffer | null;
}

/** Rewrites the rows with the values that `change` returns, unless they changed since they were read. */
async function rewriteBatch<C>(
  rows: readonly SealedRow[],
  change: (sealed: Buffer) => C,
  write: (id: number, sealed: Buffer, change: C) => Promise<readonly unknown[]>,
): Promise<Resealed> {
  // Per row: the number of rows written, 0 also when another call changed the row first; null for an unreadable row.
  const outcomes = await Promise.all(
    rows.map(async ({ id, sealed }) => {
      if (!sealed) return 0;
      let changed: C;
      try {
        changed = change(sealed);
      } catch {
        return null;
      }
      return (await write(id, sealed, changed)).length;
    }),
  );
  return {
    written: outcomes.filter((outcome) => outcome === 1).length,
    unreadable: outcomes.filter((outcome) => outcome === null).length,
    next: rows.length < rowsAtOnce ? null : (rows.at(-1)?.id ?? null),
  };
}

/** Rewrites keys that are stored under a former secret. */
const resealKeys: ResealBatch = async (db, vault, after) => {
  const rows = await db
    .select({ id: apiKeys.id, sealed: apiKeys.sealed })
    .from(apiKeys)
    .where(and(gt(apiKeys.id, after), ne(apiKeys.secretId, vault.secretId)))
    .orderBy(asc(apiKeys.id))
    .limit(rowsAtOnce);
  return rewriteBatch(
    rows,
    (sealed) => toStoredKey(vault, vault.open(sealed)),
    (id, sealed, key) =>
      db
        .update(apiKeys)
        .set(key)
        .where(and(eq(apiKeys.id, id), eq(apiKeys.sealed, sealed)))
        .returning({ id: apiKeys.id }),
  );
};

const resealUri = (vault: SecretVault) => (sealed: Buffer) => ({
  cloneUriSealed: vault.reseal(sealed) ?? sealed,
  cloneUriSecretId: vault.secretId,
});

/** Reseals remote locations that a former secret sealed, and those of early releases, which have no secret's id. */
const resealCloneUris: ResealBatch = async (db, vault, after) => {
  const { id, cloneUriSealed, cloneUriSecretId } = repositories;
  const rows = await db
    .select({ id, sealed: cloneUriSealed })
    .from(repositories)
    .where(and(gt(id, after), isNotNull(cloneUriSealed), sql`${cloneUriSecretId} is distinct from ${vault.secretId}`))
    .orderBy(asc(id))
    .limit(rowsAtOnce);
  return rewriteBatch(rows, resealUri(vault), (rowId, sealed, stored) =>
    db
      .update(repositories)
      .set(stored)
      .where(and(eq(id, rowId), eq(cloneUriSealed, sealed)))
      .returning({ id }),
  );
};

/** Does the same with those of deleted repositories. */
const resealDeleted: ResealBatch = async (db, vault, after) => {
  const { repositoryId: id, cloneUriSealed, cloneUriSecretId } = deletedRepositories;
  const rows = await db
    .select({ id, sealed: cloneUriSealed })
    .from(deletedRepositories)
    .where(and(gt(id, after), isNotNull(cloneUriSealed), sql`${cloneUriSecretId} is distinct from ${vault.secretId}`))
    .orderBy(asc(id))
    .limit(rowsAtOnce);
  return rewriteBatch(rows, resealUri(vault), (rowId, sealed, stored) =>
    db
      .update(deletedRepositories)
      .set(stored)
      .where(and(eq(id, rowId), eq(cloneUriSealed, sealed)))
      .returning({ id }),
  );
};

/** Numbers of the rows that were rewritten, and of those that none of the secrets opens. */
export type ResealSum = Pick<Resealed, 'written' | 'unreadable'>;

/** Rewrites all values that are stored under former secrets, in batches, until `isStopped`. */
export async function reseal(db: Database, vault: SecretVault, isStopped: () => boolean): Promise<ResealSum> {
  const sum = { written: 0, unreadable: 0 };
  for (const resealBatch of [resealKeys, resealCloneUris, resealDeleted]) {
    for (let after: number | null = 0; after !== null && !isStopped();) {
      const { written, unreadable, next } = await resealBatch(db, vault, after);
      sum.written += written;
      sum.unreadable += unreadable;
      after = next;
    }
  }
  return sum;
}
