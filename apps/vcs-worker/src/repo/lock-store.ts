import { repositories, users, type Db } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';

export interface Lock {
  readonly username: string;
  readonly since: Date;
}

/** The holder of the repository lock; null when it is free. */
export async function findLock(db: Db, repositoryId: number): Promise<Lock | null> {
  const [row] = await db
    .select({ username: users.username, since: repositories.lockedAt })
    .from(repositories)
    .innerJoin(users, eq(users.id, repositories.lockedById))
    .where(eq(repositories.id, repositoryId));
  return row?.since ? { username: row.username, since: row.since } : null;
}

/** Gives the repository lock to a user, whoever held it; null frees it. Returns since when it is held. */
export async function setLock(db: Db, repositoryId: number, userId: number | null): Promise<Date | null> {
  const [row] = await db
    .update(repositories)
    .set({ lockedById: userId, lockedAt: userId === null ? null : sql`date_trunc('milliseconds', now())` })
    .where(eq(repositories.id, repositoryId))
    .returning({ since: repositories.lockedAt });
  return row?.since ?? null;
}
