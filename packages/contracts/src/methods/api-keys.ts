import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { targetUser } from '../args/target-user.ts';
import { text } from '../args/text.ts';
import { wholeNumber } from '../args/whole-number.ts';
import { defineMethod } from '../method.ts';
import { ApiKeyRecord } from '../records/api-key.ts';
import { Outcome } from '../records/outcome.ts';

const minutesMax = 100 * 365 * 24 * 60;
const lifetime = v.pipe(
  wholeNumber(-1, minutesMax),
  v.check((minutes) => minutes !== 0, `must be -1 or a whole number from 1 to ${minutesMax}`),
);
const made = v.strictObject({ msg: v.string(), api_key: ApiKeyRecord });

export const createApiKey = defineMethod({
  name: 'create_api_key',
  summary: 'Makes a further key for a user, with the same power as the built-in one.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: {
    description: optional(text(1_000), '', 'What it is for'),
    lifetime: optional(lifetime, -1, 'Minutes after which it is refused; -1 for never'),
    userid: targetUser,
  },
  result: made,
});

export const getApiKeys = defineMethod({
  name: 'get_api_keys',
  summary: 'Lists the keys of a user, expired ones included, by id.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: { userid: targetUser },
  result: v.array(ApiKeyRecord),
});

export const revokeApiKey = defineMethod({
  name: 'revoke_api_key',
  summary: 'Takes a key away from a user; the built-in one can only be reset.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { api_key_id: required(v.nullable(wholeNumber(0, 2 ** 31 - 1)), 'Its id'), userid: targetUser },
  result: Outcome,
});

export const resetApiKey = defineMethod({
  name: 'reset_api_key',
  summary: 'Gives a user another built-in key; the one before is refused from now on.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'write',
  args: { userid: targetUser },
  result: made,
});
