import { followers, type Db } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';

/** Returns whether the user follows the repository. */
export async function isFollower(db: Db, userId: number, repositoryId: number): Promise<boolean> {
  return (await db.$count(followers, and(eq(followers.userId, userId), eq(followers.repositoryId, repositoryId)))) > 0;
}

/** Removes a follower; returns false when the user did not follow the repository. */
export async function removeFollower(db: Db, userId: number, repositoryId: number): Promise<boolean> {
  const removed = await db
    .delete(followers)
    .where(and(eq(followers.userId, userId), eq(followers.repositoryId, repositoryId)))
    .returning({ userId: followers.userId });
  return removed.length > 0;
}
