import { generateApiKey, replaceBuiltinKey, toStoredKey } from '@trunkline/db';
import { toApiKeyRecord } from '../../user/api-key-record.ts';
import { lockKeys } from '../../user/api-key-store.ts';
import { requireEditable, requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const resetApiKey: MethodHandler<'reset_api_key'> = async (
  { userid },
  { transact, vault, announceCallersChanged },
) => {
  const { id, username, row } = await transact(async ({ db, access, authorize }) => {
    const user = requireEditable(await requireTargetUser(db, access, userid));
    await lockKeys(db, user.id);
    // While this call waited for the lock, another call may have replaced the key that authenticated this one.
    await authorize();
    const key = toStoredKey(vault, generateApiKey());
    return { id: user.id, username: user.username, row: await replaceBuiltinKey(db, user.id, key) };
  });

  announceCallersChanged(id);
  return {
    msg: `reset api key of user \`${username}\``,
    api_key: toApiKeyRecord({ ...row, expired: false }, vault, new Map()),
  };
};
