import { operations, type Db } from '@trunkline/db';
import { and, eq, inArray, or, sql, type SQL } from 'drizzle-orm';

/** Returns those of the ids whose operation does not run, so that its staging directories may be removed. */
export async function notRunning(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  return without(db, ids, eq(operations.state, 'running'));
}

/** Returns those of the ids whose operation has ended a minute ago or longer, so that sweeps have cleared its staging. */
export async function endedBefore(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const isRecent = sql`${operations.finishedAt} > now() - interval '1 minute'`;
  return without(db, ids, or(eq(operations.state, 'running'), isRecent));
}

async function without(db: Db, ids: readonly string[], condition: SQL | undefined): Promise<string[]> {
  const found = await db
    .select({ id: operations.id })
    .from(operations)
    .where(and(inArray(operations.id, [...ids]), condition));
  const excluded = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !excluded.has(id));
}
