import { ConflictError, NotFoundError, type EntityRef } from '@trunkline/contracts';
import { foldCase, isUniqueViolation, userGroupMembers, userGroups, users, type Db } from '@trunkline/db';
import { asc, eq, gt, sql, type SQL } from 'drizzle-orm';
import { userColumns } from '../user/user-store.ts';

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
