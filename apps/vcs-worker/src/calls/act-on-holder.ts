import type { EntityRef } from '@trunkline/contracts';
import { writeOnHolder, type HolderWrite, type HolderWriteParameters } from '../user/holder-write-store.ts';
import { actInOneStatement, type ActingStatement } from './act-in-one-statement.ts';
import type { Call } from './call.ts';

/** One change of a user, a user group or both that the database makes in one round trip. */
export interface HolderAct extends Pick<HolderWriteParameters, 'kind'> {
  readonly user: EntityRef | null;
  readonly userGroup: EntityRef | null;
  /** The global permission to grant or to revoke; without one, nothing is changed. */
  readonly permission?: string | undefined;
}

/** Acts on the user and the user group that the call names, as `actOnRepository` does on a repository. */
export async function actOnHolder<T>(
  call: Call,
  { kind, user, userGroup, permission }: HolderAct,
  answer: (acted: Pick<HolderWrite, 'user' | 'userGroup' | 'changed'>) => T,
): Promise<T> {
  const parameters = {
    kind,
    targetId: user && user.id,
    targetName: user && user.name,
    groupId: userGroup && userGroup.id,
    groupName: userGroup && userGroup.name,
    permission: permission ?? null,
  };
  const statement: ActingStatement<HolderWrite> = (pool, given) => writeOnHolder(pool, { ...given, ...parameters });
  return actInOneStatement(call, null, statement, answer);
}
