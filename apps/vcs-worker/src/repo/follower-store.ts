import { followers, type Db } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';

/** Adds a follower; false when the user was one already. */
export async function addFollower(db: Db, userId: number, repositoryId: number): Promise<boolean> {
  const added = await db
    .insert(followers)
    .values({ userId, repositoryId })
    .onConflictDoNothing()
    .returning({ userId: followers.userId });
  return added.length > 0;
}

/** Whether the user follows the repository. */
export async function isFollower(db: Db, userId: number, repositoryId: number): Promise<boolean> {
  return (await db.$count(followers, and(eq(followers.userId, userId), eq(followers.repositoryId, repositoryId)))) > 0;
}

/** Removes a follower; false when the user was none. */
export async function removeFollower(db: Db, userId: number, repositoryId: number): Promise<boolean> {
  const removed = await db
    .delete(followers)
    .where(and(eq(followers.userId, userId), eq(followers.repositoryId, repositoryId)))
    .returning({ userId: followers.userId });
  return removed.length > 0;
}
