import { apiKeys, prepared, type Database } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';

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
