import { reaches, type EntityRef, type LevelName } from '@trunkline/contracts';
import { repoGroups, users, type Db, type Transaction } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import {
  repoGroupNamed,
  repoGroupNotFound,
  requireRepoGroup,
  type NamedRepoGroup,
} from '../../repo-group/repo-group-store.ts';
import type { Access } from '../authorize.ts';
import { effectiveGroupLevel } from './effective-group-level.ts';

/** Finds the repository group that the call names; undefined when the caller does not have this level on it. */
export async function findRepoGroupWithLevel(
  db: Db,
  { user }: Access,
  ref: EntityRef,
  wanted: LevelName,
): Promise<NamedRepoGroup | undefined> {
  const [row] = await db
    .select({ id: repoGroups.id, name: repoGroups.name, level: effectiveGroupLevel(sql`${user.id}`) })
    .from(repoGroups)
    .innerJoin(users, eq(users.id, user.id))
    .where(repoGroupNamed(ref));
  return row && reaches(row.level, wanted) ? row : undefined;
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

/**
 * Returns the repository group that the call names and the caller administers; the group keeps its name until the
 * transaction ends.
 */
export async function lockAdministeredRepoGroup(
  tx: Transaction,
  access: Access,
  ref: EntityRef,
): Promise<NamedRepoGroup> {
  const { id } = await requireRepoGroupLevel(tx, access, ref, 'admin');
  return requireRepoGroup(tx, { ...ref, id });
}
