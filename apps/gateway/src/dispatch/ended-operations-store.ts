import { operations, type Database } from '@trunkline/db';
import type { Watched } from '@trunkline/runtime';
import { and, inArray, ne } from 'drizzle-orm';

/** Finds the watched operations that have ended; one not recorded yet has not. Gateways watch no repositories. */
export async function findEndedOperations(db: Database, watched: readonly Watched[]): Promise<readonly Watched[]> {
  const ids = watched.flatMap((one) => (one.kind === 'operation' ? [one.id] : []));
  const rows = await db
    .select({ id: operations.id })
    .from(operations)
    .where(and(inArray(operations.id, ids), ne(operations.state, 'running')));
  return rows.map(({ id }) => ({ kind: 'operation', id }));
}
