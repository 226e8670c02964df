import { levels } from '@trunkline/contracts';
import { repositories, type Transaction } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { changesSomething } from '../changes-something.ts';
import { defaultUserId } from '../authz/repository/effective-level.ts';
import type { StoredCloneUri } from './clone-uri.ts';
import { setUserLevel } from './permission-store.ts';

type Column = 'description' | 'private' | 'landingRev' | 'enableDownloads' | 'enableLocking' | 'enableStatistics';
type Columns = typeof repositories.$inferInsert;

export type RepositoryChange = {
  readonly [K in Column | 'name' | 'ownerId' | keyof StoredCloneUri | 'groupId']?: Columns[K] | undefined;
};

/**
 * Changes a repository; leaves undefined members as they are. One that becomes private gives `default` the level none.
 * All in one update: with a second one Postgres would check the fork's source again, and wait for a transaction that
 * deletes both.
 */
export async function changeRepository(tx: Transaction, id: number, change: RepositoryChange): Promise<void> {
  if (changesSomething(change)) await tx.update(repositories).set(change).where(eq(repositories.id, id));
  if (change.private === true) await setUserLevel(tx, defaultUserId, id, levels.none);
}
