import { reaches, type EntityRef, type LevelName } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import { lockRepoGroup, repoGroupNotFound, type NamedRepoGroup } from '../../repo-group/repo-group-store.ts';
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

export interface AdministeredRepoGroup {
  readonly group: NamedRepoGroup;
  readonly administeredBy: Access['user'];
}

/**
 * Returns the repository group that the call names and the caller administers. Until the transaction ends the group keeps
 * its name, and no other call changes the levels on it. The caller's rights are read again under that lock.
 */
export async function lockAdministeredRepoGroup(
  { db, access, authorize }: Pick<WriteScope, 'db' | 'access' | 'authorize'>,
  ref: EntityRef,
): Promise<AdministeredRepoGroup> {
  const { id } = await requireRepoGroupLevel(db, access, ref, 'admin');
  if (!(await lockRepoGroup(db, id, ref.name))) throw repoGroupNotFound(ref);
  const now = await authorize();
  return { group: await requireRepoGroupLevel(db, now, { ...ref, id }, 'admin'), administeredBy: now.user };
}
