import type { KeyLimit } from '@trunkline/contracts';
import { apiKeys, byteaArray, prepared, userIpAddresses, users, type Database } from '@trunkline/db';
import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { Logger } from '@trunkline/runtime';
import { throwAsRpcError, type Bulkhead } from '../queries.ts';

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
type FindCaller = (hmacs: KeyHmacs) => Promise<StoredCaller | undefined>;

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

export interface LookUp {
  find(hmacs: KeyHmacs): Promise<StoredCaller | undefined>;
  /** Detaches later look-ups from pending queries: each look-up after this call uses a query that begins after it. */
  forget(): void;
}

/** Reads callers from the database: one query at a time for each key, within the bulkhead's bounds. */
export function createLookUp(findCaller: FindCaller, bulkhead: Bulkhead): LookUp {
  const flights = new SingleFlight<StoredCaller | undefined>();
  return {
    find: (hmacs) => flights.run(hmacs[0].toString('latin1'), () => bulkhead(() => findCaller(hmacs))),
    forget: () => flights.forget(),
  };
}

/** Records the use of a key, in the background. */
export type RecordKeyUse = (apiKeyId: number) => void;

// The use of a key is recorded at most once a minute, over all gateways.
const isDue = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, sql`now() - interval '1 minute'`));

const keyUsed = prepared((db) =>
  db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(
      inArray(
        apiKeys.id,
        // A row that another transaction holds is left to the next use.
        db
          .select({ id: apiKeys.id })
          .from(apiKeys)
          .where(and(eq(apiKeys.id, sql.placeholder('apiKeyId')), isDue))
          .for('no key update', { skipLocked: true }),
      ),
    )
    .prepare('key_used'),
);

export function createRecordKeyUse(db: Database, logger: Logger): RecordKeyUse {
  return (apiKeyId) => {
    keyUsed(db)
      .execute({ apiKeyId })
      .catch((error: unknown) => logger.debug({ err: error }, 'last use of an API key could not be recorded'));
  };
}
