import { repositories, users, type Executor } from '@trunkline/db';
import { eq } from 'drizzle-orm';

export interface Lock {
  readonly username: string;
  readonly since: Date;
}

/** Who holds a repository's lock; null when nobody does. */
export async function findLock(db: Executor, repositoryId: number): Promise<Lock | null> {
  const [row] = await db
    .select({ username: users.username, since: repositories.lockedAt })
    .from(repositories)
    .innerJoin(users, eq(users.id, repositories.lockedById))
    .where(eq(repositories.id, repositoryId));
  return row?.since ? { username: row.username, since: row.since } : null;
}

/** Takes the lock for a user, whoever held it; null frees it. */
export async function setLock(
  db: Executor,
  repositoryId: number,
  lock: { readonly userId: number; readonly since: Date } | null,
): Promise<void> {
  await db
    .update(repositories)
    .set({ lockedById: lock?.userId ?? null, lockedAt: lock?.since ?? null })
    .where(eq(repositories.id, repositoryId));
}
