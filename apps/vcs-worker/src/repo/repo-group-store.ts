import {
  ForbiddenError,
  isLevelName,
  levels,
  NotFoundError,
  reaches,
  type EntityRef,
  type OperationFailedError,
} from '@trunkline/contracts';
import {
  names,
  repoGroups,
  userGlobalPermissions,
  userRepoGroupPermissions,
  users,
  type Transaction,
} from '@trunkline/db';
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { effectiveGroupLevel } from '../authz/effective-group-level.ts';
import { defaultUserId } from '../authz/effective-level.ts';
import { kindOf, takeName } from './name-store.ts';
import { groupPaths } from './repository-name.ts';

/** The level that everybody gets on what is new: the default user's `repository.…` or `group.…`. */
export async function defaultLevel(tx: Transaction, kind: 'repository' | 'group'): Promise<number> {
  const rows = await tx
    .select({ permission: userGlobalPermissions.permission })
    .from(userGlobalPermissions)
    .where(eq(userGlobalPermissions.userId, defaultUserId));
  const found = rows.map(({ permission }) => permission.split('.')).find(([prefix]) => prefix === kind)?.[1];
  return isLevelName(found) ? levels[found] : levels.none;
}

/** Throws what a user hears who may not put a repository into a group. */
export async function requireWrite(tx: Transaction, path: string, userId: number): Promise<void> {
  const [row] = await tx
    .select({ level: effectiveGroupLevel(sql`${userId}`) })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, userId))
    .where(eq(repoGroups.name, path));
  if (!row || !reaches(row.level, 'write')) throw new ForbiddenError(`no permission to create repo in ${path}`);
}

/** The repository group that a reference names. */
export async function requireRepoGroup(tx: Transaction, ref: EntityRef): Promise<{ id: number; name: string }> {
  const named = ref.id === null ? eq(repoGroups.name, ref.name ?? '') : eq(repoGroups.id, ref.id);
  const [row] = await tx.select({ id: repoGroups.id, name: repoGroups.name }).from(repoGroups).where(named);
  if (!row) throw new NotFoundError(`repository group \`${ref.sent}\` does not exist`);
  return row;
}

async function createGroup(tx: Transaction, name: string, parentId: number | null): Promise<number> {
  const [owner] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(users.admin, users.active))
    .orderBy(asc(users.id))
    .limit(1);
  if (!owner) throw new Error('the instance has no administrator');
  const [group] = await tx
    .insert(repoGroups)
    .values({ name, parentId, description: `${name} group`, ownerId: owner.id })
    .returning({ id: repoGroups.id });
  if (!group) throw new Error('no group was inserted');
  const level = await defaultLevel(tx, 'group');
  await tx.insert(userRepoGroupPermissions).values({ userId: defaultUserId, repoGroupId: group.id, level });
  return group.id;
}

export interface EnsuredGroups {
  /** The group that holds the repository; null at the top level. */
  readonly groupId: number | null;
  readonly createdIds: number[];
}

/**
 * Creates the groups that a repository's name implies, from the root to the leaf.
 * Below an existing group, others than administrators need write on the deepest one.
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
  for (const path of groupPaths(repositoryName)) {
    const existing = await enterGroup(tx, path, refuse);
    if (existing !== null) deepest = path;
    groupId = existing ?? (await createGroup(tx, path, groupId));
    if (existing === null) createdIds.push(groupId);
  }
  if (deepest !== undefined && !caller.admin) await requireWrite(tx, deepest, caller.id);
  return { groupId, createdIds };
}

/** The group of this name, kept from being removed until the transaction ends; null when its name was free and is taken. */
async function enterGroup(
  tx: Transaction,
  path: string,
  refuse: (reason: string) => OperationFailedError,
): Promise<number | null> {
  for (;;) {
    if (await takeName(tx, path, 'group')) return null;
    const [existing] = await tx
      .select({ id: repoGroups.id })
      .from(repoGroups)
      .where(eq(repoGroups.name, path))
      .for('key share');
    if (existing) return existing.id;
    if ((await kindOf(tx, path)) === 'repository') throw refuse(`\`${path}\` is a repository`);
    // Its group was removed in this moment, and so was the name.
  }
}

/** Holds groups against whoever would put something into them; from the root to the leaf, as those hold them. */
export async function lockGroups(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .select({ id: repoGroups.id })
    .from(repoGroups)
    .where(inArray(repoGroups.id, [...ids]))
    .orderBy(asc(repoGroups.id))
    .for('update');
}

/** Removes those of these groups, all of them locked, that hold nothing: what a failed creation had made on its way. */
export async function removeEmptyGroups(tx: Transaction, ids: readonly number[]): Promise<void> {
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
      .returning({ name: repoGroups.name });
    await tx.delete(names).where(
      inArray(
        names.path,
        removed.map(({ name }) => name),
      ),
    );
  }
}
