import type { KeyLimit } from '@trunkline/contracts';
import { apiKeys, prepared, type Database, type StoredKey } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { actedColumns, givenCaller, givenEntry, type Acted, type ActingParameters } from '../authz/acting-statement.ts';

/** A key that names no repositories. */
export interface PlainKey extends StoredKey {
  readonly description: string;
  /** The minutes for which the key is valid, by the database's clock; null means no expiry. */
  readonly minutes: number | null;
  readonly limitedTo: KeyLimit | null;
}

export interface ApiKeyWriteParameters {
  /** What the function `write_on_api_key` does. */
  readonly kind: 'create' | 'revoke';
  readonly targetId: number | null;
  readonly targetName: string | null;
  /** The key to revoke. */
  readonly revokedId: number | null;
  /** The key to create. */
  readonly key: PlainKey | null;
}

const given = (name: Exclude<keyof ApiKeyWriteParameters, 'key'>) => sql.placeholder(name);
const ofKey = (name: keyof PlainKey) => sql.placeholder(name === 'limitedTo' ? 'newLimitedTo' : name);

const writeQuery = prepared((db) =>
  db
    .select({
      ...actedColumns,
      targetId: sql<number | null>`out_target_id`,
      targetName: sql<string>`out_target_name`,
      newId: sql<number | null>`out_new_id`,
      createdAt: sql<Date>`out_created_at`.mapWith(apiKeys.createdAt),
      expiresAt: sql<Date | null>`out_expires_at`.mapWith(apiKeys.expiresAt),
      isBuiltin: sql<boolean | null>`out_is_builtin`,
    })
    .from(
      sql`write_on_api_key(${givenCaller}, ${given('kind')}::text, ${given('targetId')}::int, ${given('targetName')}::text,
        ${given('revokedId')}::int, ${ofKey('description')}::text, ${ofKey('minutes')}::int,
        ${ofKey('limitedTo')}::text, ${ofKey('hmac')}::bytea, ${ofKey('sealed')}::bytea, ${ofKey('secretId')}::text,
        ${givenEntry})`,
    )
    .prepare('write_on_api_key'),
);

export interface ApiKeyWrite extends Acted {
  /** The user whose keys the call is about; null when there is none. */
  readonly user: { readonly id: number; readonly name: string } | null;
  /** The key that was created; null when none was. */
  readonly created: { readonly id: number; readonly createdAt: Date; readonly expiresAt: Date | null } | null;
  /** Whether the key to revoke is the user's built-in one. */
  readonly isBuiltin: boolean;
}

const noKey = { description: null, minutes: null, limitedTo: null, hmac: null, sealed: null, secretId: null };

/** Reads the caller's rights, acts and records the call: all in one statement, and nothing if the rights do not suffice. */
export async function writeOnApiKey(
  pool: Database,
  { key, ...parameters }: ActingParameters & ApiKeyWriteParameters,
): Promise<ApiKeyWrite> {
  const { limitedTo: newLimitedTo, ...columns } = key ?? noKey;
  const [row] = await writeQuery(pool).execute({ ...parameters, ...columns, newLimitedTo });
  if (!row) throw new Error('the function write_on_api_key has returned nothing');
  const { step, changed, targetId, targetName, newId, createdAt, expiresAt, isBuiltin, ...rights } = row;
  const user = targetId === null ? null : { id: targetId, name: targetName };
  const created = newId === null ? null : { id: newId, createdAt, expiresAt };
  return { step, rights: { ...rights, repository: null }, changed, user, created, isBuiltin: isBuiltin === true };
}
