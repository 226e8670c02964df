import { OperationFailedError } from '@trunkline/contracts';
import { type Db, operations } from '@trunkline/db';
import type { EndWatch, Watched } from '@trunkline/runtime';
import { and, eq, inArray, or, sql, type SQL } from 'drizzle-orm';
import { isOperationId } from './operation-list-store.ts';

/** Returns the operations of a list that have ended, and the repositories of the list that no running operation holds. */
export async function findEnded(db: Db, watched: readonly Watched[]): Promise<readonly Watched[]> {
  const { id, repositoryId, sourceRepositoryId, state, exclusive } = operations;
  const ids = watched.flatMap((one) => (one.kind === 'operation' ? [one.id] : []));
  const repositoryIds = watched.flatMap((one) => (one.kind === 'repository' ? [one.id] : []));
  const ofWatched = or(
    inArray(id, ids),
    inArray(repositoryId, repositoryIds),
    inArray(sourceRepositoryId, repositoryIds),
  );
  const running = await db
    .select({ id, repositoryId, sourceRepositoryId, exclusive })
    .from(operations)
    .where(and(eq(state, 'running'), ofWatched));
  const busy = new Set(
    running.flatMap((row) => (row.exclusive ? [row.id, row.repositoryId, row.sourceRepositoryId] : [row.id])),
  );
  return watched.filter((one) => !busy.has(one.id));
}

/** Returns whether an operation has ended; throws the client's error when the operation has failed. */
export async function hasEnded(db: Db, id: string): Promise<boolean> {
  const [row] = await db
    .select({ state: operations.state, error: operations.error })
    .from(operations)
    .where(eq(operations.id, id));
  if (row?.state === 'failed') throw new OperationFailedError(row.error ?? 'the operation failed');
  return row?.state === 'done';
}

const ownColumns = {
  kind: operations.kind,
  repositoryId: operations.repositoryId,
  request: operations.request,
  state: operations.state,
  error: operations.error,
};

/** An operation with the columns from which its method's result is made. */
export type OwnOperation = Pick<typeof operations.$inferSelect, keyof typeof ownColumns>;

/** Finds the operation that a call of this user began. */
export async function findOwnOperation(db: Db, userId: number, id: string): Promise<OwnOperation | undefined> {
  if (!isOperationId(id)) return undefined;
  const [row] = await db
    .select(ownColumns)
    .from(operations)
    .where(and(eq(operations.id, id), eq(operations.actorId, userId)));
  return row;
}

/**
 * Waits for at most `msMax` milliseconds until the operation may have ended, or the repository may be free. The caller
 * reads the state anew: a message may be early, the time may be over, and the signal may have aborted.
 */
export type WaitForOperationEnd = (watched: Watched, msMax: number, signal?: AbortSignal) => Promise<void>;

export function operationEndedWaiter(endWatch: Pick<EndWatch, 'watch'>): WaitForOperationEnd {
  return (watched, msMax, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unwatch();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, msMax);
      const unwatch = endWatch.watch(watched, done);
      signal?.addEventListener('abort', done, { once: true });
      if (signal?.aborted) done();
    });
}

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
