import { generateApiKey } from '@trunkline/db';
import { toApiKeyRecord } from '../../user/api-key-record.ts';
import { insertKey } from '../../user/api-key-store.ts';
import { requireEditable, requireTargetUser } from '../../user/require-target-user.ts';
import { toStoredKey } from '../../user/stored-key.ts';
import type { MethodHandler } from '../context.ts';

export const createApiKey: MethodHandler<'create_api_key'> = async (
  { description, lifetime, userid },
  { transact, vault },
) =>
  transact(async ({ db, access }) => {
    const user = requireEditable(await requireTargetUser(db, access, userid));
    const minutes = lifetime === -1 ? null : lifetime;
    const row = await insertKey(db, user.id, toStoredKey(vault, generateApiKey()), { description, minutes });
    return { msg: `created api key for user \`${user.username}\``, api_key: toApiKeyRecord(row, vault) };
  });
