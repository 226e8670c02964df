import { generateApiKey, replaceBuiltinKey, toStoredKey } from '@trunkline/db';
import { toApiKeyRecord } from '../../domain/user/api-key-record.ts';
import { lockTargetUser } from '../../domain/user/lock-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const resetApiKey: MethodHandler<'reset_api_key'> = async (
  { userid },
  { transact, vault, announceCallersChanged },
) => {
  const { id, username, row } = await transact(async (scope) => {
    const { user } = await lockTargetUser(scope, userid);
    const key = toStoredKey(vault, generateApiKey());
    return { id: user.id, username: user.username, row: await replaceBuiltinKey(scope.db, user.id, key) };
  });

  announceCallersChanged(id);
  return {
    msg: `reset api key of user \`${username}\``,
    api_key: toApiKeyRecord({ ...row, expired: false }, vault, new Map()),
  };
};
