import { apiKeys, prepared, type Database } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';

/** Records the use of a key, in the background. */
export type NoteKeyUse = (apiKeyId: number) => void;

// At most once a minute for each key, over all gateways.
const due = or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, sql`now() - interval '1 minute'`));

const keyUsed = prepared((db) =>
  db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKeys.id, sql.placeholder('apiKeyId')), due))
    .prepare('key_used'),
);

export function keyUse(db: Database, logger: Logger): NoteKeyUse {
  return (apiKeyId) => {
    keyUsed(db)
      .execute({ apiKeyId })
      .catch((error: unknown) => logger.debug({ err: error }, 'the use of a key was not noted'));
  };
}
