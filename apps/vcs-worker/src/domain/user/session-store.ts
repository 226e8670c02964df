import { sessions, type Db, type Transaction } from '@trunkline/db';
import { and, eq, gte, inArray, lt, ne, sql } from 'drizzle-orm';
import { removedWithTimes, type Batch, type Removed } from '../../jobs/sweeps/remove-in-batches.ts';

/**
 * Ends a user's sessions, or all but one. Must be called after the update of the user's row in the same transaction:
 * signing in locks that row, so that a new session is either ended here or refused.
 */
export async function endSessions(tx: Transaction, userId: number, exceptId: number | null): Promise<void> {
  const others = exceptId === null ? undefined : ne(sessions.id, exceptId);
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), others));
}

/** Removes a batch of the ended sessions, by the times of their ends. */
export async function removeEndedSessions(db: Db, { from, rowsMax }: Batch<Date>): Promise<Removed<Date>> {
  // A plan may run a sub-select again for each row; with a row lock, Postgres runs this once, before the removal.
  const ended = db.$with('ended').as(
    db
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(lt(sessions.expiresAt, sql`now()`), from ? gte(sessions.expiresAt, from) : undefined))
      .orderBy(sessions.expiresAt)
      .limit(rowsMax)
      .for('update', { skipLocked: true }),
  );
  const removed = await db
    .with(ended)
    .delete(sessions)
    .where(inArray(sessions.id, db.select({ id: ended.id }).from(ended)))
    .returning({ at: sessions.expiresAt });
  return removedWithTimes(removed.map(({ at }) => at));
}
