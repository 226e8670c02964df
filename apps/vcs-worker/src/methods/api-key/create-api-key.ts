import { InvalidArgsError, type ArgsOfMethod, type EntityRef, type Methods } from '@trunkline/contracts';
import { generateApiKey, toStoredKey } from '@trunkline/db';
import { requireReadableNames } from '../../repo/readable-names-store.ts';
import { toApiKeyRecord } from '../../user/api-key-record.ts';
import { insertKey, requireFewNamingKeys, type ApiKeyRow } from '../../user/api-key-store.ts';
import { lockTargetUser } from '../../user/lock-target-user.ts';
import type { MethodHandler, WriteContext } from '../context.ts';

type Args = ArgsOfMethod<Methods['create_api_key']>;

interface Created {
  readonly username: string;
  readonly row: ApiKeyRow;
  /** The repositories that the key names. */
  readonly names: ReadonlyMap<number, string>;
}

function describe({ description, lifetime, limited_to: limitedTo }: Args) {
  return { description, minutes: lifetime === -1 ? null : lifetime, limitedTo };
}

async function createPlainKey(args: Args, { actOnApiKey, vault }: WriteContext): Promise<Created> {
  const key = { ...toStoredKey(vault, generateApiKey()), ...describe(args) };
  const { user, created } = await actOnApiKey({ kind: 'create', user: args.userid, key }, (acted) => acted);
  if (!created) throw new Error('no key was created');
  const { sealed, description, limitedTo } = key;
  const plain = { builtin: false, expired: false, lastUsedAt: null, repositoryIds: null };
  return {
    username: user.username,
    row: { ...plain, ...created, sealed, description, limitedTo },
    names: new Map<number, string>(),
  };
}

/** Creates a key for these repositories, which the caller has to be able to read. */
function createNamingKey(args: Args, refs: readonly EntityRef[], { transact, vault }: WriteContext): Promise<Created> {
  return transact(async (scope) => {
    const { db } = scope;
    const { access, user } = await lockTargetUser(scope, args.userid);
    const { limitedTo } = describe(args);
    if (limitedTo === null) throw new InvalidArgsError('Invalid value for `repositories`: needs `limited_to`');
    const names = await requireReadableNames(db, access.user.id, refs);
    await requireFewNamingKeys(db, user);
    const key = { ...describe(args), repositoryIds: [...names.keys()] };
    const row = await insertKey(db, user.id, toStoredKey(vault, generateApiKey()), key);
    return { username: user.username, row, names };
  });
}

export const createApiKey: MethodHandler<'create_api_key'> = async (args, context) => {
  const { repositories: refs } = args;
  const { username, row, names } = await (refs ? createNamingKey(args, refs, context) : createPlainKey(args, context));
  return {
    msg: `created api key for user \`${username}\``,
    api_key: toApiKeyRecord(row, context.vault, names),
  };
};
