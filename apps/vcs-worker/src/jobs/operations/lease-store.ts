import { type Db, type OperationProgress, operations, prepared } from '@trunkline/db';
import { and, eq, gt, inArray, or, sql, type Placeholder, type SQL } from 'drizzle-orm';

// Not `now()`, the start of the transaction, since the transaction may have waited meanwhile.
export const leaseEnd = (leaseSeconds: number | Placeholder) =>
  sql`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

/** In statements that are planned once, conditions of partial indexes have to be constants. */
export const isRunning = sql`${operations.state} = 'running'`;

/** Whether an attempt of this worker still holds the operation. */
export const held = and(
  eq(operations.id, sql.placeholder('id')),
  eq(operations.worker, sql.placeholder('worker')),
  eq(operations.attempt, sql.placeholder('attempt')),
  isRunning,
  gt(operations.leaseUntil, sql`now()`),
);

export const selectHeld = prepared((db) =>
  db.select({ id: operations.id }).from(operations).where(held).prepare('select_held'),
);

export const lockHeld = prepared((db) =>
  db.select({ id: operations.id }).from(operations).where(held).for('update').prepare('lock_held'),
);

export const endHeld = prepared((db) =>
  db
    .update(operations)
    .set({
      state: sql`${sql.placeholder('state')}`,
      error: sql`${sql.placeholder('error')}`,
      progress: null,
      finishedAt: sql`now()`,
      leaseUntil: null,
    })
    .where(held)
    .returning({ id: operations.id })
    .prepare('end_held'),
);

export const touchHeld = prepared((db) =>
  db
    .update(operations)
    .set({ request: sql`${operations.request} || '{"touched":true}'::jsonb` })
    .where(held)
    .returning({ id: operations.id })
    .prepare('touch_held'),
);

/** An attempt at an operation; its progress is null until known. */
export interface HeldAttempt {
  readonly id: string;
  readonly attempt: number;
  readonly progress: OperationProgress | null;
}

export interface HeldOperation {
  readonly id: string;
  /** Whether this heartbeat extended the lease; false while another transaction holds the operation's row. */
  readonly extended: boolean;
  readonly cancelRequested: boolean;
}

/** Locks the operations that match and that no other transaction holds: a held row must not delay the others. */
function lockFree(db: Db, condition: SQL | undefined) {
  return db
    .$with('free')
    .as(db.select({ id: operations.id }).from(operations).where(condition).for('no key update', { skipLocked: true }));
}

function heldBy(worker: string): SQL | undefined {
  return and(eq(operations.worker, worker), eq(operations.state, 'running'));
}

/** Extends this worker's leases and writes progress; returns the operations whose leases the worker still holds. */
export async function extendLeases(
  db: Db,
  held: readonly HeldAttempt[],
  worker: string,
  leaseSeconds: number,
): Promise<HeldOperation[]> {
  const attempts = held.map(({ id, attempt }) => and(eq(operations.id, id), eq(operations.attempt, attempt)));
  const known = held.flatMap(({ id, progress }) => (progress ? [[id, progress] as const] : []));
  const progressOf = JSON.stringify(Object.fromEntries(known));
  const stillHeld = and(or(...attempts), heldBy(worker));
  const free = lockFree(db, stillHeld);
  const extended = db.$with('extended').as(
    db
      .update(operations)
      .set({ leaseUntil: leaseEnd(leaseSeconds), progress: sql`${progressOf}::text::jsonb -> ${operations.id}::text` })
      .where(inArray(operations.id, db.select({ id: free.id }).from(free)))
      .returning({ id: operations.id }),
  );
  return db
    .with(free, extended)
    .select({
      id: operations.id,
      extended: sql<boolean>`${operations.id} in (select id from extended)`,
      cancelRequested: sql<boolean>`${operations.cancelRequestedAt} is not null`,
    })
    .from(operations)
    .where(stillHeld);
}

/** Releases leases so that another worker can claim the operations at once. The leases of held rows run out. */
export async function releaseLeases(db: Db, ids: readonly string[], worker: string): Promise<void> {
  const free = lockFree(db, and(inArray(operations.id, [...ids]), heldBy(worker)));
  await db
    .with(free)
    .update(operations)
    .set({ leaseUntil: sql`now()`, progress: null, handovers: sql`${operations.handovers} + 1` })
    .where(inArray(operations.id, db.select({ id: free.id }).from(free)));
}
