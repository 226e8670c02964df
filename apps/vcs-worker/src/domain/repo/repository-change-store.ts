import { levels } from '@trunkline/contracts';
import { prepared, repositories, type Transaction, type StoredCloneUri } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { changesSomething } from '../../changes-something.ts';
import { defaultUserId } from '../../authz/effective-level.ts';
import { setUserLevel } from './permission-store.ts';

const single = [
  'description',
  'private',
  'landingRev',
  'enableDownloads',
  'enableLocking',
  'enableStatistics',
] as const;
type Column = (typeof single)[number];
type Columns = typeof repositories.$inferInsert;

export type RepositoryChange = {
  readonly [K in Column | 'name' | 'ownerId' | keyof StoredCloneUri | 'groupId']?: Columns[K] | undefined;
};

function updateOf(column: Column) {
  return prepared((db) =>
    db
      .update(repositories)
      .set({ [column]: sql`${sql.placeholder('value')}` })
      .where(eq(repositories.id, sql.placeholder('id')))
      .prepare('update_repository'),
  );
}

/** The statements of calls that change one column. */
const updates = new Map<string, ReturnType<typeof updateOf>>(single.map((column) => [column, updateOf(column)]));

async function update(tx: Transaction, id: number, change: RepositoryChange): Promise<void> {
  const [[column, value] = [], ...others] = Object.entries(change).filter(([, one]) => one !== undefined);
  const statement = others.length === 0 ? updates.get(column ?? '') : undefined;
  if (statement) await statement(tx).execute({ id, value });
  else await tx.update(repositories).set(change).where(eq(repositories.id, id));
}

/**
 * Changes a repository; leaves undefined members as they are. One that becomes private gives `default` the level none.
 * All in one update: with a second one Postgres would check the fork's source again, and wait for a transaction that
 * deletes both.
 */
export async function changeRepository(tx: Transaction, id: number, change: RepositoryChange): Promise<void> {
  if (changesSomething(change)) await update(tx, id, change);
  if (change.private === true) await setUserLevel(tx, defaultUserId, id, levels.none);
}
