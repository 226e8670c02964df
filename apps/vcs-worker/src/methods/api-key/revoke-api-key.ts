import { removeKey } from '../../user/api-key-store.ts';
import { requireEditable, requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const revokeApiKey: MethodHandler<'revoke_api_key'> = async (
  { api_key_id: keyId, userid },
  { transact, announceCallersChanged },
) => {
  const { username, success } = await transact(async ({ db, access }) => {
    const user = requireEditable(await requireTargetUser(db, access, userid));
    return { username: user.username, success: await removeKey(db, user, keyId) };
  });

  if (success) announceCallersChanged();
  const msg = success
    ? `revoked api key \`${keyId}\` of user \`${username}\``
    : `user \`${username}\` has no api key \`${keyId ?? 'None'}\``;
  return { success, msg };
};
