import * as v from 'valibot';
import { EmbeddedUserRecord } from '../records/user.ts';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, nameText, text } from '../args/schemas.ts';
import { cursorAfter, limit } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/parts.ts';

/** Spec 2.3: a user group, without its members. */
export const UserGroupRecord = v.strictObject({
  users_group_id: v.number(),
  group_name: v.string(),
  active: v.boolean(),
});
export type UserGroupRecord = v.InferOutput<typeof UserGroupRecord>;

const UserGroupWithMembersRecord = v.strictObject({
  ...UserGroupRecord.entries,
  members: v.array(EmbeddedUserRecord),
});

const admin = { caller: 'admin' } as const;
const userid = required(entityRef, 'Username or user id');
const usersgroupid = required(entityRef, 'User group name or id', ['usergroupid']);

export const getUserGroup = defineMethod({
  name: 'get_user_group',
  aliases: ['get_users_group'],
  summary: 'Returns one user group with its members; null when it does not exist.',
  permission: admin,
  lane: 'metadata',
  access: 'read',
  args: { usergroupid: required(entityRef, 'User group name or id', ['usersgroupid']) },
  result: v.nullable(UserGroupWithMembersRecord),
});

export const getUserGroups = defineMethod({
  name: 'get_user_groups',
  aliases: ['get_users_groups'],
  summary: 'Lists all user groups, by id, without members.',
  permission: admin,
  lane: 'metadata',
  access: 'read',
  args: { limit, cursor: cursorAfter('users_group_id') },
  result: v.array(UserGroupRecord),
});

export const createUserGroup = defineMethod({
  name: 'create_user_group',
  aliases: ['create_users_group'],
  summary: 'Creates a user group without members.',
  permission: admin,
  lane: 'metadata',
  access: 'write',
  args: {
    group_name: required(nameText, 'Letters, digits, `-`, `_`, `.`, `@`; at least two characters'),
    owner: optional(entityRef, null, 'Username or user id', 'the caller'),
    active: optional(flag, true, 'An inactive group grants its members no permissions'),
  },
  result: v.strictObject({ msg: v.string(), users_group: UserGroupRecord }),
});

export const updateUserGroup = defineMethod({
  name: 'update_user_group',
  summary: 'Updates a user group; absent arguments change nothing.',
  permission: { caller: 'any', userGroupOwner: true },
  lane: 'metadata',
  access: 'write',
  args: {
    usersgroupid,
    group_name: optional(nameText, null, 'Letters, digits, `-`, `_`, `.`, `@`; at least two characters'),
    description: optional(text(10_000), null, 'Description'),
    owner: optional(entityRef, null, 'Username or user id; administrators only'),
    active: optional(flag, null, 'An inactive group grants its members no permissions'),
  },
  result: v.strictObject({ msg: v.string(), user_group: UserGroupRecord }),
});

export const deleteUserGroup = defineMethod({
  name: 'delete_user_group',
  summary: 'Deletes a user group that has no level on any repository or repository group.',
  permission: { caller: 'any', userGroupOwner: true },
  lane: 'metadata',
  access: 'write',
  args: { usersgroupid },
  result: v.strictObject({ msg: v.string(), user_group: v.null() }),
});

export const addUserToUserGroup = defineMethod({
  name: 'add_user_to_user_group',
  aliases: ['add_user_user_group', 'add_user_to_users_group'],
  summary: 'Adds a user to a user group.',
  permission: admin,
  lane: 'metadata',
  access: 'write',
  args: { usersgroupid, userid },
  result: Outcome,
});

export const removeUserFromUserGroup = defineMethod({
  name: 'remove_user_from_user_group',
  aliases: ['remove_user_from_users_group'],
  summary: 'Removes a user from a user group.',
  permission: admin,
  lane: 'metadata',
  access: 'write',
  args: { usersgroupid, userid },
  result: Outcome,
});
