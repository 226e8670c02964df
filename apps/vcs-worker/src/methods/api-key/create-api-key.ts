import { InvalidArgsError, type ArgsOfMethod, type Methods } from '@trunkline/contracts';
import { generateApiKey, toStoredKey } from '@trunkline/db';
import { requireReadableNames } from '../../domain/repo/readable-names-store.ts';
import { toApiKeyRecord } from '../../domain/user/api-key-record.ts';
import { insertKey, requireFewNamingKeys, type ApiKeyRow } from '../../domain/user/api-key-store.ts';
import { lockTargetUser } from '../../domain/user/lock-target-user.ts';
import type { MethodHandler, WriteContext } from '../context.ts';

type Args = ArgsOfMethod<Methods['create_api_key']>;

interface Created {
  readonly username: string;
  readonly row: ApiKeyRow;
  /** The repositories that the key names. */
  readonly names: ReadonlyMap<number, string>;
}

const noNames: ReadonlyMap<number, string> = new Map();

/** Creates a key, for all repositories or for those that the call names, which the caller has to be able to read. */
function createKey(args: Args, { transact, vault }: WriteContext): Promise<Created> {
  const { description, lifetime, limited_to: limitedTo, repositories: refs } = args;
  const described = { description, minutes: lifetime === -1 ? null : lifetime, limitedTo };
  return transact(async (scope) => {
    const { db } = scope;
    const { access, user } = await lockTargetUser(scope, args.userid);
    if (refs && limitedTo === null) {
      throw new InvalidArgsError('Invalid value for `repositories`: needs `limited_to`');
    }
    const names = refs ? await requireReadableNames(db, access.user.id, refs) : noNames;
    if (refs) await requireFewNamingKeys(db, user);
    const key = { ...described, repositoryIds: refs && [...names.keys()] };
    const row = await insertKey(db, user.id, toStoredKey(vault, generateApiKey()), key);
    return { username: user.username, row, names };
  });
}

export const createApiKey: MethodHandler<'create_api_key'> = async (args, context) => {
  const { username, row, names } = await createKey(args, context);
  return {
    msg: `created api key for user \`${username}\``,
    api_key: toApiKeyRecord(row, context.vault, names),
  };
};
