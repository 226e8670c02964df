import { apiKeys, byteaArray, prepared, userIpAddresses, users, type Database } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { rethrowFailure } from './rethrow-failure.ts';

/** The owner of a key as he is in the moment of reading. */
export interface StoredCaller {
  readonly mac: Buffer;
  readonly apiKeyId: number;
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  /** The key has not expired and its user is active; the user `default` never calls. */
  readonly usable: boolean;
  /** How long the key still lasts; null when it does not expire. By the database's clock, the only one all share. */
  readonly lifeMs: number | null;
  /** Where he may call from: his own networks and those of the user `default`; none means anywhere. */
  readonly networks: readonly string[];
}

/** The caller whose key is stored under one of these: what each secret makes of the key, the newest first. */
export type FindCaller = (macs: KeyMacs) => Promise<StoredCaller | undefined>;

export type KeyMacs = readonly [Buffer, ...Buffer[]];

const callerByMac = prepared((db) =>
  db
    .select({
      mac: apiKeys.mac,
      apiKeyId: apiKeys.id,
      userId: users.id,
      username: users.username,
      admin: users.admin,
      usable: sql<boolean>`${users.active} and ${users.usernameKey} <> 'default'
        and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`,
      lifeMs: sql<number | null>`(extract(epoch from ${apiKeys.expiresAt} - now()) * 1000)::float8`,
      networks: sql<string[]>`array(select ip_addr from ${userIpAddresses} where user_id = ${users.id}
        or user_id = (select id from users where username_key = 'default'))`,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(sql`${apiKeys.mac} = any(${sql.placeholder('macs')}::bytea[])`)
    .prepare('caller_by_mac'),
);

export function callerStore(db: Database): FindCaller {
  return async (macs) => {
    const [row] = await callerByMac(db)
      .execute({ macs: byteaArray(macs) })
      .catch(rethrowFailure);
    return row;
  };
}
