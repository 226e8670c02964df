import { type ApiKeyRecord, ConflictError, type KeyLimit, toTimestamp } from '@trunkline/contracts';
import { apiKeys, type Db, type SecretVault, type StoredKey, type Transaction } from '@trunkline/db';
import { and, asc, count, eq, gt, isNotNull, sql } from 'drizzle-orm';

const keyColumns = {
  id: apiKeys.id,
  sealed: apiKeys.sealed,
  builtin: apiKeys.builtin,
  description: apiKeys.description,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  expired: sql<boolean>`coalesce(${apiKeys.expiresAt} <= now(), false)`,
  lastUsedAt: apiKeys.lastUsedAt,
  limitedTo: apiKeys.limitedTo,
  repositoryIds: apiKeys.repositoryIds,
};

export type ApiKeyRow = Awaited<ReturnType<typeof listKeys>>[number];

/** Lists a user's keys in the order in which they were made. */
export async function listKeys(
  db: Db,
  userId: number,
  { limit, cursor }: { readonly limit: number; readonly cursor: number | null },
) {
  return db
    .select(keyColumns)
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, userId), gt(apiKeys.id, cursor ?? 0)))
    .orderBy(asc(apiKeys.id))
    .limit(limit);
}

export interface NewKey {
  readonly description: string;
  readonly minutes: number | null;
  readonly limitedTo: KeyLimit | null;
  readonly repositoryIds: number[] | null;
}

/** Inserts a key beside the built-in one. It is valid for `minutes` by the database's clock; null means no expiry. */
export async function insertKey(
  db: Db,
  userId: number,
  key: StoredKey,
  { minutes, ...described }: NewKey,
): Promise<ApiKeyRow> {
  const expiresAt = minutes === null ? null : sql`now() + make_interval(mins => ${minutes}::int)`;
  const [row] = await db
    .insert(apiKeys)
    .values({ userId, ...key, ...described, expiresAt })
    .returning(keyColumns);
  if (!row) throw new Error('no key was inserted');
  return row;
}

/** How many keys of one user may name repositories: a list of keys has all their names. */
const namingKeysMax = 500;

/** Throws ConflictError when the user, whose keys are locked, can have no further key that names repositories. */
export async function requireFewNamingKeys(
  tx: Transaction,
  user: { readonly id: number; readonly username: string },
): Promise<void> {
  const [row] = await tx
    .select({ keys: count() })
    .from(apiKeys)
    .where(and(eq(apiKeys.userId, user.id), isNotNull(apiKeys.repositoryIds)));
  if (row && row.keys < namingKeysMax) return;
  throw new ConflictError(`user \`${user.username}\` has ${namingKeysMax} api keys that name repositories already`);
}

/** Locks a key of a user, for which it waits; null when the user has no such key. */
export async function lockKey(db: Db, userId: number, id: number): Promise<{ id: number; builtin: boolean } | null> {
  const [row] = await db
    .select({ id: apiKeys.id, builtin: apiKeys.builtin })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
    .for('update');
  return row ?? null;
}

export async function removeKey(db: Db, id: number): Promise<void> {
  await db.delete(apiKeys).where(eq(apiKeys.id, id));
}

/** Shapes a key; `names` has the names of the repositories that the caller may read. */
export function toApiKeyRecord(row: ApiKeyRow, vault: SecretVault, names: ReadonlyMap<number, string>): ApiKeyRecord {
  const named = row.repositoryIds?.flatMap((id) => {
    const name = names.get(id);
    return name === undefined ? [] : [{ repo_id: id, repo_name: name }];
  });
  return {
    api_key_id: row.id,
    api_key: vault.open(row.sealed),
    builtin: row.builtin,
    description: row.description,
    created_on: toTimestamp(row.createdAt),
    expires: row.expiresAt && toTimestamp(row.expiresAt),
    expired: row.expired,
    last_used: row.lastUsedAt && toTimestamp(row.lastUsedAt),
    limited_to: row.limitedTo,
    repositories: named ?? null,
  };
}
