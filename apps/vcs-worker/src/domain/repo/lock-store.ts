import { prepared, preparedSql, repositories, users, type Db } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';

export interface Lock {
  readonly username: string;
  readonly since: Date;
}

const holderOf = prepared((db) =>
  db
    .select({ username: users.username, since: repositories.lockedAt })
    .from(repositories)
    .innerJoin(users, eq(users.id, repositories.lockedById))
    .where(eq(repositories.id, sql.placeholder('id')))
    .prepare('lock_holder'),
);

/** Returns the holder of the repository lock; null when the lock is free. */
export async function findLock(db: Db, repositoryId: number): Promise<Lock | null> {
  const [row] = await holderOf(db).execute({ id: repositoryId });
  return row?.since ? { username: row.username, since: row.since } : null;
}

const lockStatement = prepared((db) =>
  db
    .update(repositories)
    .set({ lockedById: sql`${sql.placeholder('userId')}::int`, lockedAt: sql`date_trunc('milliseconds', now())` })
    .where(eq(repositories.id, sql.placeholder('id')))
    .returning({ since: repositories.lockedAt })
    .prepare('lock_for'),
);

/** Gives a user the repository lock; returns the moment. */
export async function lockFor(db: Db, repositoryId: number, userId: number): Promise<Date | null> {
  const [row] = await lockStatement(db).execute({ id: repositoryId, userId });
  return row?.since ?? null;
}

const unlockStatement = preparedSql(
  sql`update ${repositories} set locked_by_id = null, locked_at = null where id = ${sql.placeholder('id')}::int`,
);

export async function unlock(db: Db, repositoryId: number): Promise<void> {
  await unlockStatement(db).execute({ id: repositoryId });
}
