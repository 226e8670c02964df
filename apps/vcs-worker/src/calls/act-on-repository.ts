import { levels, type EntityRef } from '@trunkline/contracts';
import type { NamedRepository } from '../authz/acting-statement.ts';
import { repositoryNotFound, type Access } from '../authz/authorize.ts';
import {
  writeOnRepository,
  type RepositoryActKind,
  type RepositoryWrite,
  type StateOfGeneration,
} from '../repo/repository-write-store.ts';
import { actInOneStatement, type ActingStatement } from './act-in-one-statement.ts';
import type { Call } from './call.ts';

/** One change of a repository that the database makes in one round trip. */
export interface RepositoryAct {
  readonly kind: RepositoryActKind;
  readonly repository: EntityRef;
  /** The user or user group that the call names; null for the caller. */
  readonly target: EntityRef | null;
  /** The level to set; without one, nothing is set. */
  readonly level?: number | undefined;
  /** The state to record. */
  readonly state?: StateOfGeneration;
}

/** What the statement that acts has read and changed. */
export interface ActedOnRepository extends Omit<RepositoryWrite, 'step' | 'rights'> {
  readonly access: Access<NamedRepository>;
  readonly repository: NamedRepository;
}

function statementOf(
  { method: { name, permission }, frame: { request } }: Call,
  { kind, repository, target, level, state }: RepositoryAct,
): ActingStatement<RepositoryWrite> {
  if (permission.repository === undefined) throw new Error(`${name} demands no level`);
  const parameters = {
    leastLevel: levels[permission.repository],
    repositoryId: repository.id,
    repositoryName: repository.name,
    kind,
    targetId: target ? target.id : request.caller.userId,
    targetName: target && target.name,
    level: level ?? null,
    state: state ?? null,
  };
  return (pool, given) => writeOnRepository(pool, { ...given, ...parameters });
}

/**
 * Acts on the repository that the call names, if the caller's rights suffice, in one statement. Then `answer` makes the
 * result of what was found, or throws the client's error, for which nothing was done.
 */
export async function actOnRepository<T>(
  call: Call,
  act: RepositoryAct,
  answer: (acted: ActedOnRepository) => T,
): Promise<T> {
  const { repository: ref } = act;
  return actInOneStatement(call, ref, statementOf(call, act), (done, access) => {
    const { repository } = access;
    if (!repository) throw repositoryNotFound(ref);
    const { target, changed, isFollower, lockedBy, lockedAt } = done;
    return answer({ access, repository, target, changed, isFollower, lockedBy, lockedAt });
  });
}
