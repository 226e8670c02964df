import { levels, type OperationFailedError } from '@trunkline/contracts';
import { isUniqueViolation, names, repositories, type Transaction } from '@trunkline/db';
import { and, eq } from 'drizzle-orm';
import { defaultUserId } from '../authz/effective-level.ts';
import { setUserLevel } from './permission-store.ts';

type Column = 'description' | 'private' | 'landingRev' | 'enableDownloads' | 'enableLocking' | 'enableStatistics';
type Columns = typeof repositories.$inferInsert;

export type RepositoryChange = {
  readonly [K in Column | 'ownerId' | 'cloneUri' | 'cloneUriSealed' | 'groupId']?: Columns[K] | undefined;
};

/** The present name of a repository, held against every other change of it; undefined when it has gone. */
export async function lockName(tx: Transaction, id: number): Promise<string | undefined> {
  const [row] = await tx
    .select({ name: repositories.name })
    .from(repositories)
    .where(and(eq(repositories.id, id), eq(repositories.state, 'ready')))
    .for('update');
  return row?.name;
}

/** Gives a repository another name; throws `failure` when something has it. Its bytes stay where they are. */
export async function renameRepository(
  tx: Transaction,
  from: string,
  to: string,
  failure: (cause: unknown) => OperationFailedError,
): Promise<void> {
  if (from === to) return;
  try {
    await tx.update(names).set({ path: to }).where(eq(names.path, from));
  } catch (error) {
    if (isUniqueViolation(error)) throw failure(error);
    throw error;
  }
}

/** What is undefined stays. A repository that becomes private is no longer open to everybody. */
export async function changeRepository(tx: Transaction, id: number, change: RepositoryChange): Promise<void> {
  const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (Object.keys(set).length > 0) await tx.update(repositories).set(set).where(eq(repositories.id, id));
  if (change.private === true) await setUserLevel(tx, defaultUserId, id, levels.none);
}
