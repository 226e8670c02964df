import { type EntityRef, type LevelName, levels, reaches } from '@trunkline/contracts';
import { type Db, repoGroups, type Transaction } from '@trunkline/db';
import {
  levelOn,
  lockRepoGroup,
  mayNotWrite,
  namedColumns,
  type NamedRepoGroup,
  repoGroupNamed,
  repoGroupNotFound,
  requireRepoGroup,
} from '../domain/groups/repo-group-store.ts';
import type { Access } from './authorize.ts';
import { groupLevelQuery } from './effective-level.ts';
import type { WriteScope } from '../write-scope.ts';

/** Finds the repository group that the call names; undefined when the caller does not have this level on it. */
export async function findRepoGroupWithLevel(
  db: Db,
  { user }: Access,
  ref: EntityRef,
  wanted: LevelName,
): Promise<NamedRepoGroup | undefined> {
  const [row] = await groupLevelQuery(db).execute({ userId: user.id, groupId: ref.id, groupName: ref.name });
  return row && reaches(row.level, wanted) ? { id: row.id, name: row.name } : undefined;
}

/** Returns the repository group that the call names; throws NotFoundError without this level on it. */
export async function requireRepoGroupLevel(
  db: Db,
  access: Access,
  ref: EntityRef,
  wanted: LevelName,
): Promise<NamedRepoGroup> {
  const group = await findRepoGroupWithLevel(db, access, ref, wanted);
  if (!group) throw repoGroupNotFound(ref);
  return group;
}

export interface AdministeredRepoGroup extends Pick<WriteScope, 'access' | 'authorize'> {
  readonly group: NamedRepoGroup;
}

/**
 * Locks the repository group with this id, which the caller administers. Until the transaction ends the group keeps its name,
 * and no other call changes the levels on it. The caller's rights are read again under that lock, and by `authorize`.
 */
export async function lockAdministeredRepoGroup(
  { db, authorize }: Pick<WriteScope, 'db' | 'authorize'>,
  ref: EntityRef,
  id: number,
): Promise<AdministeredRepoGroup> {
  if (!(await lockRepoGroup(db, id, ref.name))) throw repoGroupNotFound(ref);
  const readAgain = async () => {
    const access = await authorize();
    return { access, group: await requireRepoGroupLevel(db, access, { ...ref, id }, 'admin') };
  };
  return { ...(await readAgain()), authorize: async () => (await readAgain()).access };
}

interface Caller {
  readonly id: number;
  readonly admin: boolean;
}

/** Throws unless the caller may write to the group. Errors show no name that the caller may not read. */
async function requireMayWrite(tx: Transaction, { name }: NamedRepoGroup, ref: EntityRef, caller: Caller) {
  const level = caller.admin ? levels.admin : await levelOn(tx, name, caller.id);
  if (!reaches(level, 'read')) throw repoGroupNotFound(ref);
  if (!reaches(level, 'write')) throw mayNotWrite(name);
}

/** Returns the repository group that a reference names and the caller may write to; the group is not locked. */
export async function findWritableGroup(tx: Transaction, ref: EntityRef, caller: Caller): Promise<NamedRepoGroup> {
  const [group] = await tx.select(namedColumns).from(repoGroups).where(repoGroupNamed(ref));
  if (!group) throw repoGroupNotFound(ref);
  await requireMayWrite(tx, group, ref, caller);
  return group;
}

/** Returns the locked repository group that a reference names and the caller may write to. */
export async function requireWritableGroup(tx: Transaction, ref: EntityRef, caller: Caller): Promise<NamedRepoGroup> {
  const group = await requireRepoGroup(tx, ref);
  await requireMayWrite(tx, group, ref, caller);
  return group;
}
