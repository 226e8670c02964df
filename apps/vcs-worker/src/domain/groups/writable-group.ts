import { levels, reaches, type EntityRef } from '@trunkline/contracts';
import { repoGroups, type Transaction } from '@trunkline/db';
import {
  levelOn,
  mayNotWrite,
  namedColumns,
  repoGroupNamed,
  repoGroupNotFound,
  requireRepoGroup,
  type NamedRepoGroup,
} from './repo-group-store.ts';

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
