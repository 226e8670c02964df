import type { EntityRef } from '@trunkline/contracts';
import { requireEditable, requireFoundUser, type TargetUser } from '../user/require-target-user.ts';
import { writeOnApiKey, type ApiKeyWrite, type ApiKeyWriteParameters } from '../user/api-key-write-store.ts';
import { actInOneStatement, type ActingStatement } from './act-in-one-statement.ts';
import type { Call } from './call.ts';

/** One change of a user's API keys that the database makes in one round trip. */
export interface ApiKeyAct extends Pick<ApiKeyWriteParameters, 'kind'> {
  /** The user whom the call names; null for the caller. */
  readonly user: EntityRef | null;
  readonly revokedId?: number | null;
  readonly key?: ApiKeyWriteParameters['key'];
}

/** What the statement that acts has read and changed. */
export interface ActedOnApiKey extends Pick<ApiKeyWrite, 'changed' | 'created' | 'isBuiltin'> {
  readonly user: TargetUser;
}

/** Acts on a key of the user whom the call names, if the caller may edit that user, as `actOnRepository` does. */
export async function actOnApiKey<T>(
  call: Call,
  { kind, user: ref, revokedId, key }: ApiKeyAct,
  answer: (acted: ActedOnApiKey) => T,
): Promise<T> {
  const parameters = {
    kind,
    targetId: ref ? ref.id : call.frame.request.caller.userId,
    targetName: ref && ref.name,
    revokedId: revokedId ?? null,
    key: key ?? null,
  };
  const statement: ActingStatement<ApiKeyWrite> = (pool, given) => writeOnApiKey(pool, { ...given, ...parameters });
  return actInOneStatement(call, null, statement, ({ user: found, changed, created, isBuiltin }, access) => {
    const user = requireEditable(requireFoundUser(access, ref, found));
    return answer({ user, changed, created, isBuiltin });
  });
}
