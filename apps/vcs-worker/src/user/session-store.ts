import { sessions, type Db, type Transaction } from '@trunkline/db';
import { and, eq, inArray, lt, ne, sql } from 'drizzle-orm';

/**
 * Ends a user's sessions, or all but one. To be called after the update of the user's row in the same transaction:
 * signing in locks that row, so that a new session is either ended here or refused.
 */
export async function endSessions(tx: Transaction, userId: number, exceptId: number | null): Promise<void> {
  const others = exceptId === null ? undefined : ne(sessions.id, exceptId);
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), others));
}

/** Removes ended sessions, at most `rowsMax` of them. */
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
