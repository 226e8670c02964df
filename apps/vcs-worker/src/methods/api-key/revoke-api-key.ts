import { ConflictError } from '@trunkline/contracts';
import { lockKey, removeKey } from '../../domain/user/api-key-store.ts';
import { requireEditable, requireTargetUser } from '../../domain/user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const revokeApiKey: MethodHandler<'revoke_api_key'> = async (
  { api_key_id: keyId, userid },
  { transact, announceCallersChanged },
) => {
  const { id, username, success } = await transact(async ({ db, access, authorize }) => {
    const { id: userId } = requireEditable(await requireTargetUser(db, access, userid));
    const key = keyId === null ? null : await lockKey(db, userId, keyId);
    // Rights may be gone after the wait for the key.
    const now = userid && { ...userid, id: userId };
    const user = requireEditable(await requireTargetUser(db, await authorize(), now));
    if (key?.builtin) throw new ConflictError(`the built-in api key of user \`${user.username}\` can only be reset`);
    if (key) await removeKey(db, key.id);
    return { ...user, success: key !== null };
  });

  if (success) announceCallersChanged(id);
  const msg = success
    ? `revoked api key \`${keyId}\` of user \`${username}\``
    : `user \`${username}\` has no api key \`${keyId ?? 'None'}\``;
  return { success, msg };
};
