import { nameCharsMax, type OperationFailedError } from '@trunkline/contracts';
import { isUniqueViolation, names, repoGroups, repositories, type Transaction } from '@trunkline/db';
import { and, asc, eq, gt, lt, or, sql, type SQL } from 'drizzle-orm';
import { changesSomething } from '../../changes-something.ts';
import { isBelow } from '../repo/name-store.ts';
import { namedColumns, type NamedRepoGroup } from './repo-group-store.ts';

const moveLock = 0x7472_6d76;

/** Serialises renames and moves of groups: two at once could deadlock, or move two groups below each other. */
export async function beginMove(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${moveLock}::bigint)`);
}

/** Locks a group and all groups below it, and `parentId` against its removal, each by its id; returns those of the tree. */
async function lockGroupsOfTree(
  tx: Transaction,
  { id, name }: NamedRepoGroup,
  parentId: number | null,
): Promise<NamedRepoGroup[]> {
  const inTree = or(eq(repoGroups.id, id), isBelow(repoGroups.name, name));
  const lock = (condition?: SQL) =>
    tx.select(namedColumns).from(repoGroups).where(and(inTree, condition)).orderBy(asc(repoGroups.id)).for('update');
  if (parentId === null) return lock();
  const lower = await lock(lt(repoGroups.id, parentId));
  await tx.select({ id: repoGroups.id }).from(repoGroups).where(eq(repoGroups.id, parentId)).for('key share');
  return [...lower, ...(await lock(gt(repoGroups.id, parentId)))];
}

/**
 * Locks a group and everything below it against transactions that create, move or delete something there, and the group
 * into which it moves against its removal, within `beginMove`. All transactions lock in the same order: groups,
 * repositories, names, and each kind by id.
 */
export async function lockTree(
  tx: Transaction,
  id: number,
  parentId: number | null,
): Promise<NamedRepoGroup | undefined> {
  const [root] = await tx.select(namedColumns).from(repoGroups).where(eq(repoGroups.id, id));
  if (!root) return undefined;
  for (let lockedCount = 0; ;) {
    const locked = await lockGroupsOfTree(tx, root, parentId);
    // No other move runs, so that the root still has its name, but it may have been removed.
    if (id !== parentId && !locked.some((group) => group.id === id)) return undefined;
    if (locked.length === lockedCount) break;
    // While the statement waited for one row, another may have been inserted.
    lockedCount = locked.length;
  }
  await tx
    .select({ id: repositories.id })
    .from(repositories)
    .where(isBelow(repositories.name, root.name))
    .orderBy(asc(repositories.id))
    .for('update');
  return root;
}

/**
 * Renames a group, whose tree is locked, and all below it; throws `failure` for a name that is taken or too long. The
 * rows of groups and repositories follow the table of names by their foreign keys.
 */
export async function renameTree(
  tx: Transaction,
  from: string,
  to: string,
  failure: (cause?: unknown) => OperationFailedError,
): Promise<void> {
  if (from === to) return;
  const inTree = or(eq(names.name, from), isBelow(names.name, from));
  const renamed = await tx.select({ name: names.name }).from(names).where(inTree);
  if (renamed.some(({ name }) => to.length + name.length - from.length > nameCharsMax)) throw failure();
  try {
    await tx
      .update(names)
      .set({ name: sql`${to}::text || substr(${names.name}, length(${from}::text) + 1)` })
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

/** Changes a group; leaves members that are undefined as they are. */
export async function changeRepoGroup(tx: Transaction, id: number, change: RepoGroupChange): Promise<void> {
  if (changesSomething(change)) await tx.update(repoGroups).set(change).where(eq(repoGroups.id, id));
}
