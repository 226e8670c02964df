import { type ArgsOfMethod, ConflictError, InvalidArgsError, type Methods } from '@trunkline/contracts';
import { generateApiKey, replaceBuiltinKey, toStoredKey } from '@trunkline/db';
import { findReadableNames, requireReadableNames } from '../../domain/repo/readable-names-store.ts';
import {
  type ApiKeyRow,
  insertKey,
  listKeys,
  lockKey,
  removeKey,
  requireFewNamingKeys,
  toApiKeyRecord,
} from '../../domain/user/api-key-store.ts';
import { lockTargetUser, requireEditable, requireTargetUser } from '../../domain/user/target-user.ts';
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

export const getApiKeys: MethodHandler<'get_api_keys'> = async ({ userid, limit, cursor }, { db, access, vault }) => {
  const user = await requireTargetUser(db, access, userid);
  const rows = await listKeys(db, user.id, { limit, cursor });
  const ids = [...new Set(rows.flatMap(({ repositoryIds }) => repositoryIds ?? []))];
  const found = ids.length === 0 ? [] : await findReadableNames(db, access.user.id, { ids, names: [] });
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return rows.map((row) => toApiKeyRecord(row, vault, names));
};

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
