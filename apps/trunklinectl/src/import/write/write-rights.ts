import {
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  type Transaction,
} from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import type { DerivedRows } from '../plan/derive-rows.ts';
import { inChunks } from './in-chunks.ts';
import type { Writing } from './writing.ts';

const defaultUserId = sql<number>`(select id from users where username_key = 'default')`;

type Pair = readonly [id: number, level: number];

/** Returns levels by ids of here; holders that are not imported are left out. */
export function rowsHere(known: ReadonlyMap<number, number>, levels: ReadonlyMap<number, number>): Pair[] {
  return [...levels].flatMap(([sourceId, level]): Pair[] => {
    const id = known.get(sourceId);
    return id === undefined ? [] : [[id, level]];
  });
}

export function sortedPairs(pairs: readonly Pair[]): Pair[] {
  return pairs.toSorted(([one], [other]) => one - other);
}

/** Replaces the rows of a repository. */
export async function replaceRepositoryRights(
  { ids }: Writing,
  tx: Transaction,
  repositoryId: number,
  rows: DerivedRows,
) {
  const [byUser, byGroup] = [userRepositoryPermissions, userGroupRepositoryPermissions];
  await tx.delete(byUser).where(eq(byUser.repositoryId, repositoryId));
  await tx.delete(byGroup).where(eq(byGroup.repositoryId, repositoryId));
  await tx.insert(byUser).values({ userId: defaultUserId, repositoryId, level: rows.defaultLevel });
  const users = rowsHere(ids.users, rows.users).map(([id, level]) => ({ userId: id, repositoryId, level }));
  await inChunks(users, (chunk) => tx.insert(byUser).values(chunk));
  const groups = rowsHere(ids.userGroups, rows.userGroups);
  const groupRows = groups.map(([id, level]) => ({ userGroupId: id, repositoryId, level }));
  await inChunks(groupRows, (chunk) => tx.insert(byGroup).values(chunk));
}

/** Replaces the rows of a repository group. */
export async function replaceGroupRights({ ids }: Writing, tx: Transaction, repoGroupId: number, rows: DerivedRows) {
  const [byUser, byGroup] = [userRepoGroupPermissions, userGroupRepoGroupPermissions];
  await tx.delete(byUser).where(eq(byUser.repoGroupId, repoGroupId));
  await tx.delete(byGroup).where(eq(byGroup.repoGroupId, repoGroupId));
  await tx.insert(byUser).values({ userId: defaultUserId, repoGroupId, level: rows.defaultLevel });
  const users = rowsHere(ids.users, rows.users).map(([id, level]) => ({ userId: id, repoGroupId, level }));
  await inChunks(users, (chunk) => tx.insert(byUser).values(chunk));
  const groups = rowsHere(ids.userGroups, rows.userGroups);
  const groupRows = groups.map(([id, level]) => ({ userGroupId: id, repoGroupId, level }));
  await inChunks(groupRows, (chunk) => tx.insert(byGroup).values(chunk));
}
