import * as v from 'valibot';
import { timestamp } from './timestamp.ts';

/** API key; a user's built-in key never expires. `last_used` is updated at most once a minute. */
export const ApiKeyRecord = v.strictObject({
  api_key_id: v.number(),
  api_key: v.string(),
  builtin: v.boolean(),
  description: v.string(),
  created_on: timestamp,
  expires: v.nullable(timestamp),
  expired: v.boolean(),
  last_used: v.nullable(timestamp),
});
export type ApiKeyRecord = v.InferOutput<typeof ApiKeyRecord>;
