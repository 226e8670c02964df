import { InvalidArgsError } from '@trunkline/contracts';
import { generateApiKey, toStoredKey } from '@trunkline/db';
import { requireReadableNames } from '../../repo/readable-names-store.ts';
import { toApiKeyRecord } from '../../user/api-key-record.ts';
import { insertKey, lockKeys, requireFewNamingKeys } from '../../user/api-key-store.ts';
import { requireEditable, requireTargetUser } from '../../user/require-target-user.ts';
import type { MethodHandler } from '../context.ts';

export const createApiKey: MethodHandler<'create_api_key'> = async (
  { description, lifetime, userid, limited_to: limitedTo, repositories: refs },
  { transact, vault },
) =>
  transact(async ({ db, access }) => {
    const user = requireEditable(await requireTargetUser(db, access, userid));
    if (refs && limitedTo === null) throw new InvalidArgsError('Invalid value for `repositories`: needs `limited_to`');
    const names = refs && (await requireReadableNames(db, access.user.id, refs));
    if (names) {
      await lockKeys(db, user.id);
      await requireFewNamingKeys(db, user);
    }
    const row = await insertKey(db, user.id, toStoredKey(vault, generateApiKey()), {
      description,
      minutes: lifetime === -1 ? null : lifetime,
      limitedTo,
      repositoryIds: names && [...names.keys()],
    });
    return {
      msg: `created api key for user \`${user.username}\``,
      api_key: toApiKeyRecord(row, vault, names ?? new Map()),
    };
  });
