import * as v from 'valibot';
import { EmbeddedUserRecord } from './user.ts';

/** Spec 2.3: a user group, without its members. */
export const UserGroupRecord = v.strictObject({
  users_group_id: v.number(),
  group_name: v.string(),
  active: v.boolean(),
});
export type UserGroupRecord = v.InferOutput<typeof UserGroupRecord>;

export const UserGroupWithMembersRecord = v.strictObject({
  ...UserGroupRecord.entries,
  members: v.array(EmbeddedUserRecord),
});
