import {
  ForbiddenError,
  groupNames,
  isLevelName,
  levels,
  NotFoundError,
  reaches,
  type EntityRef,
  type OperationFailedError,
} from '@trunkline/contracts';
import { prepared, repoGroups, userRepoGroupPermissions, users, type Db, type Transaction } from '@trunkline/db';
import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import { defaultUserId, effectiveGroupLevel } from '../../authz/effective-level.ts';
import { listDefaultPermissions } from '../user/default-permission-store.ts';
import { requireFirstAdmin } from '../user/user-store.ts';
import { freeName, kindOf, repositoryNameTakenError, reserveName } from '../repo/name-store.ts';

/**
 * Returns the level of the user `default` on new repositories or groups: its permission `repository.…` or `group.…`.
 */
export async function defaultLevel(tx: Transaction, kind: 'repository' | 'group'): Promise<number> {
  const permissions = await listDefaultPermissions(tx);
  const found = permissions.map((permission) => permission.split('.')).find(([prefix]) => prefix === kind)?.[1];
  return isLevelName(found) ? levels[found] : levels.none;
}

const levelOfUser = prepared((db) =>
  db
    .select({ level: effectiveGroupLevel(sql`${sql.placeholder('userId')}::int`) })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, sql.placeholder('userId')))
    .where(eq(repoGroups.name, sql.placeholder('path')))
    .prepare('group_level'),
);

/** Returns the user's level on the group of this name. */
export async function levelOn(db: Db, path: string, userId: number): Promise<number> {
  const [row] = await levelOfUser(db).execute({ userId, path });
  return row?.level ?? levels.none;
}

export function mayNotWrite(path: string): ForbiddenError {
  return new ForbiddenError(`no permission to create repo in ${path}`);
}

/** Throws ForbiddenError when the caller may not create repositories in the group. */
async function requireWrite(db: Db, path: string, userId: number): Promise<void> {
  if (!reaches(await levelOn(db, path, userId), 'write')) throw mayNotWrite(path);
}

export interface NamedRepoGroup {
  readonly id: number;
  readonly name: string;
}

/** The columns of a `NamedRepoGroup`. */
export const namedColumns = { id: repoGroups.id, name: repoGroups.name };

/** Returns the condition that selects the row that a reference names. */
export function repoGroupNamed(ref: EntityRef): SQL {
  if (ref.id !== null) return eq(repoGroups.id, ref.id);
  return ref.name === null ? sql`false` : eq(repoGroups.name, ref.name);
}

/** Returns the client's error, which is the same for a missing group and a forbidden one. */
export function repoGroupNotFound(ref: EntityRef): NotFoundError {
  return new NotFoundError(`repository group \`${ref.sent}\` does not exist`);
}

/**
 * Returns the repository group that a reference names, locked against renames and removal until the transaction ends.
 */
export async function requireRepoGroup(tx: Transaction, ref: EntityRef): Promise<NamedRepoGroup> {
  const [row] = await tx.select(namedColumns).from(repoGroups).where(repoGroupNamed(ref)).for('key share');
  if (!row) throw repoGroupNotFound(ref);
  return row;
}

/**
 * Locks a repository group against changes of its name and levels until the transaction ends; returns false when it is
 * gone, or has another name than the one that is given.
 */
export async function lockRepoGroup(tx: Transaction, id: number, name: string | null): Promise<boolean> {
  const locked = await tx
    .select({ id: repoGroups.id })
    .from(repoGroups)
    .where(and(eq(repoGroups.id, id), name === null ? undefined : eq(repoGroups.name, name)))
    .for('no key update');
  return locked.length > 0;
}

/** Inserts a group whose name is reserved already; at first only the owner has a level on it. */
export async function insertRepoGroup(
  tx: Transaction,
  group: Pick<typeof repoGroups.$inferInsert, 'name' | 'parentId' | 'description' | 'ownerId'>,
): Promise<number> {
  const [row] = await tx.insert(repoGroups).values(group).returning({ id: repoGroups.id });
  if (!row) throw new Error('no group was inserted');
  return row.id;
}

/** Gives the user `default` the level that the default permissions set for new groups. */
export async function grantDefaultLevel(tx: Transaction, repoGroupId: number): Promise<void> {
  const level = await defaultLevel(tx, 'group');
  await tx.insert(userRepoGroupPermissions).values({ userId: defaultUserId, repoGroupId, level });
}

async function createGroup(tx: Transaction, name: string, parentId: number | null): Promise<number> {
  const owner = await requireFirstAdmin(tx);
  const id = await insertRepoGroup(tx, { name, parentId, description: `${name} group`, ownerId: owner.id });
  await grantDefaultLevel(tx, id);
  return id;
}

/**
 * Returns the refusal of a name below a repository. Throws ForbiddenError instead when the caller may not write to the
 * group above.
 */
async function insideRepository(
  db: Db,
  path: string,
  above: string | undefined,
  caller: { id: number; admin: boolean },
  refuse: (reason: string) => OperationFailedError,
): Promise<OperationFailedError> {
  if (above !== undefined && !caller.admin) await requireWrite(db, above, caller.id);
  return refuse(`\`${path}\` is a repository`);
}

/** Throws the error that creating a repository of this name would throw now; reserves no name and creates no group. */
export async function requireNameAvailable(
  db: Db,
  repositoryName: string,
  caller: { id: number; admin: boolean },
  refuse: (reason: string) => OperationFailedError,
): Promise<void> {
  let deepest: string | undefined;
  for (const path of groupNames(repositoryName)) {
    const kind = await kindOf(db, path);
    if (kind === 'repository') throw await insideRepository(db, path, deepest, caller, refuse);
    if (kind === 'group') deepest = path;
  }
  if (deepest !== undefined && !caller.admin) await requireWrite(db, deepest, caller.id);
  if (await kindOf(db, repositoryName)) throw await repositoryNameTakenError(db, repositoryName);
}

const lockNamed = prepared((db) =>
  db
    .select(namedColumns)
    .from(repoGroups)
    .where(sql`${repoGroups.name} = any(${sql.placeholder('paths')}::text[])`)
    .orderBy(asc(repoGroups.id))
    .for('key share')
    .prepare('lock_groups'),
);

/**
 * Locks the groups above a repository against renames and removal until the transaction ends. Every transaction locks
 * groups in the order of their ids, which a move does not change, unlike the order of names.
 */
export async function lockGroups(tx: Transaction, repositoryName: string): Promise<NamedRepoGroup[]> {
  const paths = groupNames(repositoryName);
  return paths.length === 0 ? [] : lockNamed(tx).execute({ paths });
}

export interface EnsuredGroups {
  /** Id of the group that holds the repository; null at the top level. */
  readonly groupId: number | null;
  readonly createdIds: number[];
}

/**
 * Locks the groups above a repository, as `lockGroups` does, and returns the one that holds it; null when one is missing.
 * Callers who are not administrators need the level `write` on it. All is sent in one round trip.
 */
export async function enterGroups(
  tx: Transaction,
  repositoryName: string,
  caller: { id: number; admin: boolean },
): Promise<EnsuredGroups | null> {
  const paths = groupNames(repositoryName);
  const path = paths.at(-1);
  if (path === undefined) return { groupId: null, createdIds: [] };
  // The level is read when the groups are locked.
  const [groups, level] = await Promise.all([
    lockGroups(tx, repositoryName),
    caller.admin ? levels.admin : levelOn(tx, path, caller.id),
  ]);
  const group = groups.find(({ name }) => name === path);
  if (!group || groups.length < paths.length) return null;
  if (!reaches(level, 'write')) throw mayNotWrite(path);
  return { groupId: group.id, createdIds: [] };
}

/**
 * Creates the groups that a repository's name implies, from the root to the leaf; the existing ones are locked by
 * `lockGroups` before. Callers who are not administrators need the level `write` on the deepest group that exists.
 */
export async function ensureGroups(
  tx: Transaction,
  repositoryName: string,
  caller: { id: number; admin: boolean },
  refuse: (reason: string) => OperationFailedError,
): Promise<EnsuredGroups> {
  const createdIds: number[] = [];
  let groupId: number | null = null;
  let deepest: string | undefined;
  for (const path of groupNames(repositoryName)) {
    const existing = await enterGroup(tx, path);
    if (existing === undefined) throw await insideRepository(tx, path, deepest, caller, refuse);
    if (existing !== null) deepest = path;
    groupId = existing ?? (await createGroup(tx, path, groupId));
    if (existing === null) createdIds.push(groupId);
  }
  if (deepest !== undefined && !caller.admin) await requireWrite(tx, deepest, caller.id);
  return { groupId, createdIds };
}

/**
 * Locks the group of this name against removal until the transaction ends and returns its id. Returns null when the
 * name was free and is now reserved, undefined when a repository has the name.
 */
async function enterGroup(tx: Transaction, path: string): Promise<number | null | undefined> {
  for (;;) {
    if (await reserveName(tx, path, 'group')) return null;
    const [existing] = await tx
      .select({ id: repoGroups.id })
      .from(repoGroups)
      .where(eq(repoGroups.name, path))
      .for('key share');
    if (existing) return existing.id;
    if ((await kindOf(tx, path)) === 'repository') return undefined;
    // The group and its name were removed between the two statements: the loop tries again.
  }
}

/** Locks groups against transactions that add to them, in the order in which `lockGroups` locks them. */
export async function lockGroupsForRemoval(tx: Transaction, ids: readonly number[]): Promise<NamedRepoGroup[]> {
  if (ids.length === 0) return [];
  return tx
    .select(namedColumns)
    .from(repoGroups)
    .where(inArray(repoGroups.id, [...ids]))
    .orderBy(asc(repoGroups.id))
    .for('update');
}

/** Removes those of these locked groups, listed from the root to the leaf, that are empty; returns their ids. */
export async function removeEmptyGroups(tx: Transaction, ids: readonly number[]): Promise<number[]> {
  const removedIds: number[] = [];
  for (const id of [...ids].toReversed()) {
    const removed = await tx
      .delete(repoGroups)
      .where(
        and(
          eq(repoGroups.id, id),
          sql`not exists (select 1 from repositories r where r.group_id = ${id})`,
          sql`not exists (select 1 from repo_groups g where g.parent_id = ${id})`,
        ),
      )
      .returning(namedColumns);
    removedIds.push(...removed.map((group) => group.id));
    for (const { name } of removed) await freeName(tx, name);
  }
  return removedIds;
}
