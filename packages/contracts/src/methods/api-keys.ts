import * as v from 'valibot';
import { keyLimits, keyRepositoriesMax } from '../rights.ts';
import { Outcome, timestamp } from '../records/parts.ts';
import { optional, required } from '../args/arg.ts';
import { entityRefs, text, wholeNumber } from '../args/schemas.ts';
import { cursorAfter, historyLimit, targetUser } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';

/**
 * API key; a user's built-in key never expires. `last_used` is updated at most once a minute. `limited_to` is null for a
 * key with all rights of its user. Of the repositories that a key is limited to, the caller gets those that the caller
 * may read; null means all.
 */
export const ApiKeyRecord = v.strictObject({
  api_key_id: v.number(),
  api_key: v.string(),
  builtin: v.boolean(),
  description: v.string(),
  created_on: timestamp,
  expires: v.nullable(timestamp),
  expired: v.boolean(),
  last_used: v.nullable(timestamp),
  limited_to: v.nullable(v.picklist(keyLimits)),
  repositories: v.nullable(v.array(v.strictObject({ repo_id: v.number(), repo_name: v.string() }))),
});
export type ApiKeyRecord = v.InferOutput<typeof ApiKeyRecord>;

const minutesMax = 100 * 365 * 24 * 60;
const lifetime = v.pipe(
  wholeNumber(-1, minutesMax),
  v.check((minutes) => minutes !== 0, `must be -1 or a whole number from 1 to ${minutesMax}`),
);
const createdKey = v.strictObject({ msg: v.string(), api_key: ApiKeyRecord });

export const createApiKey = defineMethod({
  name: 'create_api_key',
  summary:
    'Creates an additional API key for a user, with the same permissions as the built-in key, or limited to clients of git and Mercurial.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: {
    description: optional(text(1_000), '', 'What the key is used for'),
    lifetime: optional(lifetime, -1, 'Minutes after which the key expires; -1 for never'),
    userid: targetUser,
    limited_to: optional(
      v.picklist(keyLimits, `must be one of ${keyLimits.join(', ')}`),
      null,
      'All that the key is for: `fetch` to clone and fetch, `push` to clone, fetch and push; null for all rights of the user',
    ),
    repositories: optional(
      entityRefs(keyRepositoriesMax),
      null,
      `Names or ids of at most ${keyRepositoriesMax} repositories that a limited key is for, as a list or with commas; null for all`,
    ),
  },
  result: createdKey,
});

export const getApiKeys = defineMethod({
  name: 'get_api_keys',
  summary: 'Lists the API keys of a user, including expired keys, by id.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { userid: targetUser, limit: historyLimit, cursor: cursorAfter('api_key_id') },
  result: v.array(ApiKeyRecord),
});

export const revokeApiKey = defineMethod({
  name: 'revoke_api_key',
  summary: 'Revokes an API key of a user; the built-in key can only be reset.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { api_key_id: required(v.nullable(wholeNumber(0, 2 ** 31 - 1)), 'Id of the API key'), userid: targetUser },
  result: Outcome,
});

export const resetApiKey = defineMethod({
  name: 'reset_api_key',
  summary: 'Replaces the built-in API key of a user; the old key is no longer accepted.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { userid: targetUser },
  result: createdKey,
});
