import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { cursorAfter, limit } from '../args/page.ts';
import { nameText, text } from '../args/text.ts';
import { defineMethod } from '../method.ts';
import { Outcome } from '../records/outcome.ts';
import { UserGroupRecord, UserGroupWithMembersRecord } from '../records/user-group.ts';

const admin = { caller: 'admin' } as const;
const userid = required(entityRef, 'Username or user id');
const usersgroupid = required(entityRef, 'User group name or id', ['usergroupid']);

export const getUserGroup = defineMethod({
  name: 'get_user_group',
  aliases: ['get_users_group'],
  summary: 'Reads one user group with its members; null when there is none.',
  permission: admin,
  lane: 'metadata',
  access: 'read',
  args: { usergroupid: required(entityRef, 'User group name or id', ['usersgroupid']) },
  result: v.nullable(UserGroupWithMembersRecord),
});

export const getUserGroups = defineMethod({
  name: 'get_user_groups',
  aliases: ['get_users_groups'],
  summary: 'Lists every user group, by id, without members.',
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
    group_name: required(nameText, 'Letters, digits, `-`, `_`, `.`, `@`; two characters or more'),
    owner: optional(entityRef, null, 'Username or user id', 'the caller'),
    active: optional(flag, true, 'An inactive group confers nothing'),
  },
  result: v.strictObject({ msg: v.string(), users_group: UserGroupRecord }),
});

export const updateUserGroup = defineMethod({
  name: 'update_user_group',
  summary: 'Changes a user group; what is not given stays.',
  permission: { caller: 'any', userGroupOwner: true },
  lane: 'metadata',
  access: 'write',
  args: {
    usersgroupid,
    group_name: optional(nameText, null, 'Letters, digits, `-`, `_`, `.`, `@`; two characters or more'),
    description: optional(text(10_000), null, 'Kept'),
    owner: optional(entityRef, null, 'Username or user id; administrators only'),
    active: optional(flag, null, 'An inactive group confers nothing'),
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
  summary: 'Makes a user a member of a user group.',
  permission: admin,
  lane: 'metadata',
  access: 'write',
  args: { usersgroupid, userid },
  result: Outcome,
});

export const removeUserFromUserGroup = defineMethod({
  name: 'remove_user_from_user_group',
  aliases: ['remove_user_from_users_group'],
  summary: 'Takes a user out of a user group.',
  permission: admin,
  lane: 'metadata',
  access: 'write',
  args: { usersgroupid, userid },
  result: Outcome,
});
