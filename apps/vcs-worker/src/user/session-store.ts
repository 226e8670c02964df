import { sessions, type Db, type Transaction } from '@trunkline/db';
import { and, eq, inArray, lt, ne, sql } from 'drizzle-orm';

/**
 * Ends a user's sessions, or all but one. Comes after the change of his row that is the reason: whoever signs in holds
 * that row, so his session is either there to be ended, or is refused.
 */
export async function endSessions(tx: Transaction, userId: number, exceptId: number | null): Promise<void> {
  const others = exceptId === null ? undefined : ne(sessions.id, exceptId);
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), others));
}

/** Forgets sessions that have ended, no more at once than take a moment. */
export async function removeEndedSessions(db: Db, rowsMax: number): Promise<void> {
  const ended = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(lt(sessions.expiresAt, sql`now()`))
    .orderBy(sessions.expiresAt)
    .limit(rowsMax)
    .for('update', { skipLocked: true });
  await db.delete(sessions).where(inArray(sessions.id, ended));
}
