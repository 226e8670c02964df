import {
  userGroupMembers,
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  userGroups,
  userRepoGroupPermissions,
  userRepositoryPermissions,
  users,
  type Transaction,
} from '@trunkline/db';
import { and, eq, inArray, sql, type SQLWrapper } from 'drizzle-orm';
import { inChunks } from './writing.ts';
import type { GroupsOf } from './merge-rights.ts';
import type { Rights } from './rights.ts';

/** What rights are on. */
export interface RightsOn {
  readonly kind: 'repository' | 'repo_group';
  readonly id: number;
}

/** The rows of one kind of holders. */
interface LevelTable {
  readonly table: SQLWrapper;
  readonly holders: SQLWrapper;
  readonly holder: SQLWrapper;
  readonly object: SQLWrapper;
}

const userId = sql.identifier('user_id');
const userGroupId = sql.identifier('user_group_id');
const repositoryId = sql.identifier('repository_id');
const repoGroupId = sql.identifier('repo_group_id');

const tables: Readonly<Record<RightsOn['kind'], Readonly<Record<'users' | 'userGroups', LevelTable>>>> = {
  repository: {
    users: { table: userRepositoryPermissions, holders: users, holder: userId, object: repositoryId },
    userGroups: {
      table: userGroupRepositoryPermissions,
      holders: userGroups,
      holder: userGroupId,
      object: repositoryId,
    },
  },
  repo_group: {
    users: { table: userRepoGroupPermissions, holders: users, holder: userId, object: repoGroupId },
    userGroups: { table: userGroupRepoGroupPermissions, holders: userGroups, holder: userGroupId, object: repoGroupId },
  },
};

type Levels = ReadonlyMap<number, number>;

async function readLevels(tx: Transaction, { table, holder, object }: LevelTable, id: number): Promise<Levels> {
  const rows = await tx.execute<{ id: number; level: number }>(
    sql`select ${holder} as id, level from ${table} where ${object} = ${id}`,
  );
  return new Map([...rows].map((row) => [row.id, row.level]));
}

/** Reads the levels on one object. The caller has locked its row. */
export async function readRights(
  tx: Transaction,
  { kind, id }: RightsOn,
  { ownerId, isPrivate = false }: { readonly ownerId: number; readonly isPrivate?: boolean },
): Promise<Rights> {
  const byUser = await readLevels(tx, tables[kind].users, id);
  return { ownerId, isPrivate, users: byUser, userGroups: await readLevels(tx, tables[kind].userGroups, id) };
}

async function writeLevels(
  tx: Transaction,
  { table, holders, holder, object }: LevelTable,
  id: number,
  before: Levels,
  after: Levels,
): Promise<void> {
  const gone = [...before.keys()].filter((one) => !after.has(one));
  await inChunks(gone, (chunk) =>
    tx.execute(sql`delete from ${table} where ${object} = ${id} and ${inArray(holder, chunk)}`),
  );
  const set = [...after].filter(([one, level]) => before.get(one) !== level).toSorted(([a], [b]) => a - b);
  await inChunks(set, (chunk) => {
    const rows = chunk.map(([one, level]) => sql`(${one}::int, ${level}::int)`);
    // Holders that somebody deletes meanwhile get no row.
    return tx.execute(sql`insert into ${table} (${holder}, ${object}, level)
      select h.id, ${id}::int, v.level from (values ${sql.join(rows, sql`, `)}) v (id, level) join ${holders} h on h.id = v.id
      for key share of h
      on conflict (${holder}, ${object}) do update set level = excluded.level`);
  });
}

/** Writes what differs between the levels before and after. */
export async function writeRights(
  tx: Transaction,
  { kind, id }: RightsOn,
  before: Pick<Rights, 'users' | 'userGroups'>,
  after: Pick<Rights, 'users' | 'userGroups'>,
): Promise<void> {
  await writeLevels(tx, tables[kind].users, id, before.users, after.users);
  await writeLevels(tx, tables[kind].userGroups, id, before.userGroups, after.userGroups);
}

/** Reads which of some groups that are active users are in. */
export async function readGroupsOf(tx: Transaction, groupIds: readonly number[]): Promise<GroupsOf> {
  const groupsOf = new Map<number, number[]>();
  await inChunks(groupIds, async (chunk) => {
    const rows = await tx
      .select({ userId: userGroupMembers.userId, groupId: userGroupMembers.userGroupId })
      .from(userGroupMembers)
      .innerJoin(userGroups, eq(userGroups.id, userGroupMembers.userGroupId))
      .where(and(userGroups.active, inArray(userGroupMembers.userGroupId, chunk)));
    for (const row of rows) groupsOf.set(row.userId, [...(groupsOf.get(row.userId) ?? []), row.groupId]);
  });
  return (id) => groupsOf.get(id) ?? [];
}
