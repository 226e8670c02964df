import { ConflictError } from '@trunkline/contracts';
import type { MethodHandler } from '../context.ts';

export const revokeApiKey: MethodHandler<'revoke_api_key'> = async (
  { api_key_id: keyId, userid },
  { actOnApiKey, announceCallersChanged },
) => {
  const { id, username, success } = await actOnApiKey(
    { kind: 'revoke', user: userid, revokedId: keyId },
    ({ user, changed, isBuiltin }) => {
      if (isBuiltin) throw new ConflictError(`the built-in api key of user \`${user.username}\` can only be reset`);
      return { id: user.id, username: user.username, success: changed };
    },
  );

  if (success) announceCallersChanged(id);
  const msg = success
    ? `revoked api key \`${keyId}\` of user \`${username}\``
    : `user \`${username}\` has no api key \`${keyId ?? 'None'}\``;
  return { success, msg };
};
