import { reaches, type EntityRef } from '@trunkline/contracts';
import { repoGroupNotFound, type NamedRepoGroup } from '../repo-group/repo-group-store.ts';
import {
  writeOnRepoGroup,
  type RepoGroupWrite,
  type RepoGroupWriteParameters,
} from '../repo-group/repo-group-write-store.ts';
import { actInOneStatement, type ActingStatement } from './act-in-one-statement.ts';
import type { Call } from './call.ts';

/** One change of a level on a repository group that the database makes in one round trip. */
export interface RepoGroupAct extends Pick<RepoGroupWriteParameters, 'kind'> {
  readonly group: EntityRef;
  /** The user or user group that the call names. */
  readonly target: EntityRef;
  /** The level to set; without one, nothing is set. */
  readonly level?: number | undefined;
}

/** What the statement that acts has read. */
export interface ActedOnRepoGroup extends Pick<RepoGroupWrite, 'target'> {
  readonly group: NamedRepoGroup;
}

/** Acts on the repository group that the call names, if the caller administers it, as `actOnRepository` does. */
export async function actOnRepoGroup<T>(
  call: Call,
  { kind, group: ref, target, level }: RepoGroupAct,
  answer: (acted: ActedOnRepoGroup) => T,
): Promise<T> {
  const parameters = {
    repoGroupId: ref.id,
    repoGroupName: ref.name,
    kind,
    targetId: target.id,
    targetName: target.name,
    level: level ?? null,
  };
  const statement: ActingStatement<RepoGroupWrite> = (pool, given) =>
    writeOnRepoGroup(pool, { ...given, ...parameters });
  return actInOneStatement(call, null, statement, ({ step, group, target: found }) => {
    if (!group || !reaches(group.level, 'admin') || step === 'missing') throw repoGroupNotFound(ref);
    return answer({ group, target: found });
  });
}
