import { reaches, type EntityRef, type LevelName } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { lockRepoGroup, repoGroupNotFound, type NamedRepoGroup } from '../../domain/groups/repo-group-store.ts';
import type { Access } from '../authorize.ts';
import { groupLevelQuery } from './effective-group-level.ts';
import type { WriteScope } from '../../write-scope.ts';

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
