import { prepared, repositories, users, type Db } from '@trunkline/db';
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
