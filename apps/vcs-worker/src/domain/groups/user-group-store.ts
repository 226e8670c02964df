import {
  ConflictError,
  type EntityRef,
  NotFoundError,
  type OperationFailedError,
  type UserGroupRecord,
} from '@trunkline/contracts';
import {
  type Db,
  foldCase,
  isUniqueViolation,
  repoGroups,
  repositories,
  type Transaction,
  userGroupMembers,
  userGroupRepoGroupPermissions,
  userGroupRepositoryPermissions,
  userGroups,
  users,
} from '@trunkline/db';
import { and, asc, eq, gt, sql, type SQL } from 'drizzle-orm';
import { userColumns } from '../user/user-store.ts';
import type { Access } from '../../authz/authorize.ts';
import { changesSomething } from '../../changes-something.ts';
import { effectiveGroupLevel, effectiveLevel } from '../../authz/effective-level.ts';

const userGroupColumns = { id: userGroups.id, name: userGroups.name, active: userGroups.active };

export interface UserGroupRow {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
}

/** Returns the condition that selects the row that a reference names. */
export function userGroupNamed(ref: EntityRef): SQL {
  if (ref.id !== null) return eq(userGroups.id, ref.id);
  return ref.name === null ? sql`false` : eq(userGroups.name, ref.name);
}

export async function findUserGroup(db: Db, ref: EntityRef): Promise<UserGroupRow | undefined> {
  const [row] = await db.select(userGroupColumns).from(userGroups).where(userGroupNamed(ref));
  return row;
}

export async function requireUserGroup(db: Db, ref: EntityRef): Promise<UserGroupRow> {
  const row = await findUserGroup(db, ref);
  if (!row) throw userGroupNotFound(ref);
  return row;
}

/** Returns the client's error, which is the same for a missing group and a forbidden one. */
export function userGroupNotFound(ref: EntityRef): NotFoundError {
  return new NotFoundError(`user group \`${ref.sent}\` does not exist`);
}

/** Lists user groups by id; on a page those after the cursor. */
export async function listUserGroups(
  db: Db,
  page: { readonly limit: number; readonly cursor: number | null },
): Promise<UserGroupRow[]> {
  return db
    .select(userGroupColumns)
    .from(userGroups)
    .where(gt(userGroups.id, page.cursor ?? 0))
    .orderBy(asc(userGroups.id))
    .limit(page.limit);
}

/** Lists the members of a user group, in the order in which they were added. */
export async function listMembers(db: Db, userGroupId: number) {
  return db
    .select(userColumns)
    .from(userGroupMembers)
    .innerJoin(users, eq(users.id, userGroupMembers.userId))
    .where(eq(userGroupMembers.userGroupId, userGroupId))
    .orderBy(asc(userGroupMembers.addedAt), asc(users.id));
}

function userGroupNameTakenError(name: string): ConflictError {
  return new ConflictError(`user group \`${name}\` already exist`);
}

export async function requireUserGroupNameFree(db: Db, name: string): Promise<void> {
  const [row] = await db
    .select({ id: userGroups.id })
    .from(userGroups)
    .where(eq(userGroups.nameKey, foldCase(name)));
  if (row) throw userGroupNameTakenError(name);
}

/** Inserts a group. When another transaction takes the name first, throws the error for a taken name. */
export async function insertUserGroup(
  db: Db,
  group: { readonly name: string; readonly ownerId: number; readonly active: boolean },
): Promise<UserGroupRow> {
  try {
    const [row] = await db
      .insert(userGroups)
      .values({ ...group, nameKey: foldCase(group.name) })
      .returning(userGroupColumns);
    if (!row) throw new Error('no user group was inserted');
    return row;
  } catch (error) {
    if (isUniqueViolation(error, 'user_groups_name_key_unique')) throw userGroupNameTakenError(group.name);
    throw error;
  }
}

/** Returns the record of a user group (spec 2.3), without members. */
export function toUserGroupRecord(row: UserGroupRow): UserGroupRecord {
  return { users_group_id: row.id, group_name: row.name, active: row.active };
}

/**
 * Returns the id of the user group that the call names, and locks its row. Throws NotFoundError unless the caller owns
 * the group or is an administrator.
 */
export async function requireOwnUserGroup(tx: Transaction, { user }: Access, ref: EntityRef): Promise<number> {
  const [row] = await tx
    .select({ id: userGroups.id })
    .from(userGroups)
    .where(and(userGroupNamed(ref), user.admin ? undefined : eq(userGroups.ownerId, user.id)))
    .for('update');
  if (!row) throw userGroupNotFound(ref);
  return row.id;
}

export interface UserGroupChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly ownerId?: number | undefined;
  readonly active?: boolean | undefined;
}

/** Changes a user group; leaves undefined members as they are. Throws `failure` when another group has the new name. */
export async function changeUserGroup(
  tx: Transaction,
  id: number,
  { name, ...rest }: UserGroupChange,
  failure: (cause: unknown) => OperationFailedError,
): Promise<void> {
  const named = name === undefined ? {} : { name, nameKey: foldCase(name) };
  const change = { ...named, ...rest };
  if (!changesSomething(change)) return;
  try {
    await tx.update(userGroups).set(change).where(eq(userGroups.id, id));
  } catch (error) {
    if (isUniqueViolation(error)) throw failure(error);
    throw error;
  }
}

/**
 * Removes a user group with its members and global permissions. Returns its name, undefined when there was no group.
 */
export async function removeUserGroup(tx: Transaction, id: number): Promise<string | undefined> {
  const [removed] = await tx.delete(userGroups).where(eq(userGroups.id, id)).returning({ name: userGroups.name });
  return removed?.name;
}

/** A repository or repository group on which a user group has a permission. */
export interface PermittedResource {
  readonly name: string;
  /** The caller's level; the error text names only what the caller may read. */
  readonly callerLevel: number;
}

/** Lists the ready repositories and the repository groups on which a user group has a permission. */
export async function listPermittedResources(
  db: Db,
  userGroupId: number,
  callerId: number,
): Promise<PermittedResource[]> {
  const access = effectiveLevel(db, callerId);
  const onRepositories = await db
    .select({ name: repositories.name, callerLevel: access.level })
    .from(userGroupRepositoryPermissions)
    .innerJoin(repositories, eq(repositories.id, userGroupRepositoryPermissions.repositoryId))
    // `effectiveLevel` reads the user's row.
    .innerJoin(users, eq(users.id, callerId))
    .leftJoin(access.own.table, access.own.on)
    .leftJoin(access.defaultUser.table, access.defaultUser.on)
    .leftJoin(access.byUserGroup.table, access.byUserGroup.on)
    .where(and(eq(userGroupRepositoryPermissions.userGroupId, userGroupId), eq(repositories.state, 'ready')));
  const onGroups = await db
    .select({ name: repoGroups.name, callerLevel: effectiveGroupLevel(sql`${callerId}`) })
    .from(userGroupRepoGroupPermissions)
    .innerJoin(repoGroups, eq(repoGroups.id, userGroupRepoGroupPermissions.repoGroupId))
    // `effectiveGroupLevel` reads the user's row.
    .innerJoin(users, eq(users.id, callerId))
    .where(eq(userGroupRepoGroupPermissions.userGroupId, userGroupId));
  return [...onRepositories, ...onGroups];
}
