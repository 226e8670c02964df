import { repositories, users, type Db } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';

export interface Lock {
  readonly username: string;
  readonly since: Date;
}

/** Returns the holder of the repository lock; null when the lock is free. */
export async function findLock(db: Db, repositoryId: number): Promise<Lock | null> {
  const [row] = await db
    .select({ username: users.username, since: repositories.lockedAt })
    .from(repositories)
    .innerJoin(users, eq(users.id, repositories.lockedById))
    .where(eq(repositories.id, repositoryId));
  return row?.since ? { username: row.username, since: row.since } : null;
}

/** Gives the repository lock to a user, even if another user holds it; null frees it. Returns the lock's time. */
export async function setLock(db: Db, repositoryId: number, userId: number | null): Promise<Date | null> {
  const [row] = await db
    .update(repositories)
    .set({ lockedById: userId, lockedAt: userId === null ? null : sql`date_trunc('milliseconds', now())` })
    .where(eq(repositories.id, repositoryId))
    .returning({ since: repositories.lockedAt });
  return row?.since ?? null;
}
