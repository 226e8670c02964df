import { operations, prepared } from '@trunkline/db';
import { and, eq, gt, sql } from 'drizzle-orm';

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
