import type { KeyLimit } from '@trunkline/contracts';
import { apiKeys, byteaArray, prepared, userIpAddresses, users, type Database } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { throwAsRpcError } from '../throw-as-rpc-error.ts';

/** A key and its owner at the time of reading. */
export interface StoredCaller {
  readonly hmac: Buffer;
  readonly apiKeyId: number;
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  /** What the key is limited to, which never changes; null for a key without a limit. */
  readonly limitedTo: KeyLimit | null;
  /** Whether the key is valid and its user active; never true for the user `default`. */
  readonly usable: boolean;
  /** Milliseconds until the key expires, by the database's clock; null when it does not expire. */
  readonly lifeMs: number | null;
  /** The networks that the user may call from: the user's own and those of `default`; an empty list allows all. */
  readonly networks: readonly string[];
}

/** Finds the caller whose key is stored under one of these HMACs: one for each secret, the newest first. */
export type FindCaller = (hmacs: KeyHmacs) => Promise<StoredCaller | undefined>;

export type KeyHmacs = readonly [Buffer, ...Buffer[]];

const callerByHmac = prepared((db) =>
  db
    .select({
      hmac: apiKeys.hmac,
      apiKeyId: apiKeys.id,
      userId: users.id,
      username: users.username,
      admin: users.admin,
      limitedTo: apiKeys.limitedTo,
      usable: sql<boolean>`${users.active} and ${users.usernameKey} <> 'default'
        and (${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > now())`,
      lifeMs: sql<number | null>`(extract(epoch from ${apiKeys.expiresAt} - now()) * 1000)::float8`,
      networks: sql<string[]>`array(select ip_addr from ${userIpAddresses} where user_id = ${users.id}
        or user_id = (select id from users where username_key = 'default'))`,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(sql`${apiKeys.hmac} = any(${sql.placeholder('hmacs')}::bytea[])`)
    .prepare('caller_by_hmac'),
);

export function callerStore(db: Database): FindCaller {
  return async (hmacs) => {
    const [row] = await callerByHmac(db)
      .execute({ hmacs: byteaArray(hmacs) })
      .catch(throwAsRpcError);
    return row;
  };
}
