import { operations, type Db } from '@trunkline/db';
import { and, eq, inArray, or, sql, type SQL } from 'drizzle-orm';

/** Ids that one statement looks up: a statement has at most 65,535 parameters, and a trash may have more entries. */
const idsMax = 1_000;

/** Returns those of the ids whose operation does not run, so that its staging directories may be removed. */
export async function notRunning(db: Db, ids: readonly string[]): Promise<string[]> {
  return without(db, ids, eq(operations.state, 'running'));
}

/** Returns those of the ids whose operation has ended a minute ago or longer, so that sweeps have cleared its staging. */
export async function endedBefore(db: Db, ids: readonly string[]): Promise<string[]> {
  const isRecent = sql`${operations.finishedAt} > now() - interval '1 minute'`;
  return without(db, ids, or(eq(operations.state, 'running'), isRecent));
}

async function without(db: Db, ids: readonly string[], condition: SQL | undefined): Promise<string[]> {
  const excluded = new Set<string>();
  for (let from = 0; from < ids.length; from += idsMax) {
    const found = await db
      .select({ id: operations.id })
      .from(operations)
      .where(and(inArray(operations.id, ids.slice(from, from + idsMax)), condition));
    for (const { id } of found) excluded.add(id);
  }
  return ids.filter((id) => !excluded.has(id));
}
