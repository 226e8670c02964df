import * as v from 'valibot';
import { keyLimits } from '../limited-key.ts';
import { timestamp } from './timestamp.ts';

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
