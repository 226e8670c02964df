import { operations, type Db } from '@trunkline/db';
import { and, eq, inArray } from 'drizzle-orm';

/** Returns those of the ids whose operation does not run, so that its staging directories may be removed. */
export async function notRunning(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const running = await db
    .select({ id: operations.id })
    .from(operations)
    .where(and(inArray(operations.id, [...ids]), eq(operations.state, 'running')));
  const alive = new Set(running.map(({ id }) => id));
  return ids.filter((id) => !alive.has(id));
}
