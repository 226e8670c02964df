import type { OperationFailedError } from '@trunkline/contracts';
import { isUniqueViolation, names, repoGroups, repositories, type Transaction } from '@trunkline/db';
import { asc, eq, or, sql } from 'drizzle-orm';
import { changesSomething } from '../changes-something.ts';
import { isBelow } from '../repo/name-store.ts';
import { lockGroupsForRemoval, type NamedRepoGroup } from './repo-group-store.ts';
import { nameCharsMax } from '../repo/repository-name.ts';

const moveLock = 0x7472_6d76;

/** Serialises renames and moves of groups: two at once could deadlock, or end up below each other. */
export async function beginMove(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${moveLock}::bigint)`);
}

/**
 * Locks a group and everything below it against transactions that create, move or delete something there.
 * The order of locks is that of all transactions: groups, repositories, names.
 */
export async function lockTree(tx: Transaction, id: number): Promise<NamedRepoGroup | undefined> {
  const [root] = await lockGroupsForRemoval(tx, [id]);
  if (!root) return undefined;
  for (let held = 0; ;) {
    const below = await tx
      .select({ id: repoGroups.id })
      .from(repoGroups)
      .where(isBelow(repoGroups.name, root.name))
      .orderBy(asc(repoGroups.id))
      .for('update');
    if (below.length === held) break;
    // While one row was waited for, another may have been inserted.
    held = below.length;
  }
  await tx
    .select({ id: repositories.id })
    .from(repositories)
    .where(isBelow(repositories.name, root.name))
    .orderBy(asc(repositories.id))
    .for('update');
  return root;
}

/** Renames a group, whose tree is locked, and everything below it; throws `failure` when a new name is taken. */
export async function renameTree(
  tx: Transaction,
  from: string,
  to: string,
  failure: (cause?: unknown) => OperationFailedError,
): Promise<void> {
  if (from === to) return;
  const inTree = or(eq(names.path, from), isBelow(names.path, from));
  const paths = await tx.select({ path: names.path }).from(names).where(inTree);
  if (paths.some(({ path }) => to.length + path.length - from.length > nameCharsMax)) throw failure();
  try {
    await tx
      .update(names)
      .set({ path: sql`${to}::text || substr(${names.path}, length(${from}::text) + 1)` })
      .where(inTree);
  } catch (error) {
    if (isUniqueViolation(error)) throw failure(error);
    throw error;
  }
}

type Columns = typeof repoGroups.$inferInsert;

export type RepoGroupChange = {
  readonly [K in 'description' | 'ownerId' | 'enableLocking' | 'parentId']?: Columns[K] | undefined;
};

/** Members that are undefined are left as they are. */
export async function changeRepoGroup(tx: Transaction, id: number, change: RepoGroupChange): Promise<void> {
  if (changesSomething(change)) await tx.update(repoGroups).set(change).where(eq(repoGroups.id, id));
}
