import { levels, type EntityRef } from '@trunkline/contracts';
import { lockedRepository } from '@trunkline/db';
import type { NamedRepository } from '../authz/acting-statement.ts';
import { repositoryNotFound, type Access } from '../authz/authorize.ts';
import { writeOnRepository, type RepositoryActKind, type RepositoryWrite } from '../repo/repository-write-store.ts';
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
}

/** What the statement that acts has read and changed. */
export interface ActedOnRepository extends Pick<RepositoryWrite, 'target' | 'changed' | 'lockedAt'> {
  readonly access: Access<NamedRepository>;
  readonly repository: NamedRepository;
}

function statementOf(
  { method: { name, permission }, frame: { request } }: Call,
  { kind, repository, target, level }: RepositoryAct,
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
  };
  let formerId: number | null = null;
  return async (pool, given) => {
    try {
      return await writeOnRepository(pool, { ...given, ...parameters, formerId });
    } catch (error) {
      formerId ??= lockedRepository(error) ?? null;
      throw error;
    }
  };
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
  return actInOneStatement(call, ref, statementOf(call, act), ({ target, changed, lockedAt }, access) => {
    const { repository } = access;
    if (!repository) throw repositoryNotFound(ref);
    return answer({ access, repository, target, changed, lockedAt });
  });
}
