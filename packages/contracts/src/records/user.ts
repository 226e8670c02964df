import * as v from 'valibot';
import { StoredSize, timestamp } from './parts.ts';

const userFields = {
  user_id: v.number(),
  username: v.string(),
  firstname: v.nullable(v.string()),
  lastname: v.nullable(v.string()),
  email: v.nullable(v.string()),
  emails: v.array(v.string()),
  active: v.boolean(),
  admin: v.boolean(),
  ldap_dn: v.nullable(v.string()),
  last_login: v.nullable(timestamp),
};

/** Spec 2.1: a user, without the fields that only some methods add. */
export const UserRecord = v.strictObject(userFields);
export type UserRecord = v.InferOutput<typeof UserRecord>;

/** User inside another record; API keys and IP addresses of other users are present for administrators only. */
export const EmbeddedUserRecord = v.strictObject({
  ...userFields,
  api_key: v.optional(v.string()),
  ip_addresses: v.optional(v.array(v.string())),
});
export type EmbeddedUserRecord = v.InferOutput<typeof EmbeddedUserRecord>;

/** User with API key and IP addresses, as in the result of get_users. */
export const FullUserRecord = v.strictObject({
  ...userFields,
  api_key: v.string(),
  ip_addresses: v.array(v.string()),
});
export type FullUserRecord = v.InferOutput<typeof FullUserRecord>;

/** Spec 2.2: a user's permissions, by the names of repositories, repository groups and user groups. */
export const PermissionsRecord = v.strictObject({
  global: v.array(v.string()),
  repositories: v.record(v.string(), v.string()),
  repositories_groups: v.record(v.string(), v.string()),
  user_groups: v.record(v.string(), v.string()),
});
export type PermissionsRecord = v.InferOutput<typeof PermissionsRecord>;

export const UserWithPermissionsRecord = v.strictObject({
  ...FullUserRecord.entries,
  permissions: PermissionsRecord,
  /** Of the repositories that the user owns; for administrators. */
  ...v.partial(StoredSize).entries,
});
