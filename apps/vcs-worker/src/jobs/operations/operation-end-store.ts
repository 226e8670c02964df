import { OperationFailedError } from '@trunkline/contracts';
import { operations, type Db } from '@trunkline/db';
import type { Watched } from '@trunkline/runtime';
import { and, eq, inArray, or } from 'drizzle-orm';
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
