import { levels, type RepoGroupRecord, toTimestamp } from '@trunkline/contracts';
import { type Db, repoGroups, repositories, users } from '@trunkline/db';
import { and, asc, between, eq, gt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { effectiveGroupLevel, effectiveLevel } from '../../authz/effective-level.ts';

const owners = alias(users, 'owners');
const parents = alias(repoGroups, 'parents');

/** Columns of a group's record. */
const repoGroupColumns = {
  id: repoGroups.id,
  name: repoGroups.name,
  description: repoGroups.description,
  createdAt: repoGroups.createdAt,
  parent: parents.name,
  owner: owners.username,
};

export type RepoGroupRow = Awaited<ReturnType<typeof listReadableRepoGroups>>[number];

/** Lists the repository groups that a user may read, in the order of their ids; a page begins after the id `cursor`. */
export async function listReadableRepoGroups(
  db: Db,
  userId: number,
  page: { readonly limit: number; readonly cursor: number | null },
) {
  return (
    db
      .select(repoGroupColumns)
      .from(repoGroups)
      // `effectiveGroupLevel` reads the user's row.
      .innerJoin(users, eq(users.id, userId))
      .innerJoin(owners, eq(owners.id, repoGroups.ownerId))
      .leftJoin(parents, eq(parents.id, repoGroups.parentId))
      .where(and(gt(repoGroups.id, page.cursor ?? 0), sql`${effectiveGroupLevel(sql`${userId}`)} >= ${levels.read}`))
      .orderBy(asc(repoGroups.id))
      .limit(page.limit)
  );
}

/** Finds a repository group by its id. */
export async function findRepoGroup(db: Db, id: number): Promise<RepoGroupRow | undefined> {
  const [row] = await db
    .select(repoGroupColumns)
    .from(repoGroups)
    .innerJoin(owners, eq(owners.id, repoGroups.ownerId))
    .leftJoin(parents, eq(parents.id, repoGroups.parentId))
    .where(eq(repoGroups.id, id));
  return row;
}

/**
 * Returns the names of the ready repositories that a user may read and that lie directly in a group whose id is between
 * `first` and `last`, by group id.
 */
export async function repositoryNamesByGroup(
  db: Db,
  userId: number,
  [first, last]: readonly [number, number],
): Promise<Map<number, string[]>> {
  const access = effectiveLevel(db, userId);
  const rows = await db
    .select({ groupId: repositories.groupId, name: repositories.name })
    .from(repositories)
    // `effectiveLevel` reads the user's row.
    .innerJoin(users, eq(users.id, userId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .where(
      and(
        between(repositories.groupId, first, last),
        eq(repositories.state, 'ready'),
        sql`${access.level} >= ${levels.read}`,
      ),
    )
    .orderBy(asc(repositories.name));
  const found = new Map<number, string[]>();
  for (const { groupId, name } of rows) {
    if (groupId === null) continue;
    const names = found.get(groupId);
    if (names) names.push(name);
    else found.set(groupId, [name]);
  }
  return found;
}

/** Returns the record of a repository group, without members. */
export function toRepoGroupRecord(row: RepoGroupRow, repositoryNames: string[] = []): RepoGroupRecord {
  return {
    group_id: row.id,
    group_name: row.name,
    group_description: row.description,
    parent_group: row.parent,
    repositories: repositoryNames,
    owner: row.owner,
    created_on: toTimestamp(row.createdAt),
  };
}
