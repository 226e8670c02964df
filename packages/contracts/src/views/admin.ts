import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, nameText, text, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { StoredSize, timestamp } from '../records/parts.ts';

const byAdministrators = { permission: { caller: 'admin' }, lane: 'metadata', access: 'read' } as const;

const page = {
  limit: optional(wholeNumber(1, 200), 50, 'Maximum number of entries'),
  cursor: optional(nameText, null, 'Only entries after the one with this name', 'the beginning'),
};
const next = v.nullable(v.string());
const nameFilter = optional(text(255), null, 'Part of the name, in upper or lower case', 'any name');

/** Fields by which people recognise a user, without API keys. */
const ListedUser = v.strictObject({
  user_id: v.number(),
  username: v.string(),
  firstname: v.nullable(v.string()),
  lastname: v.nullable(v.string()),
  email: v.nullable(v.string()),
  active: v.boolean(),
  admin: v.boolean(),
  ldap_dn: v.nullable(v.string()),
  last_login: v.nullable(timestamp),
});
export type ListedUser = v.InferOutput<typeof ListedUser>;

const ListedUserGroup = v.strictObject({
  users_group_id: v.number(),
  group_name: v.string(),
  description: v.string(),
  active: v.boolean(),
  owner: v.string(),
  members: v.number(),
});
export type ListedUserGroup = v.InferOutput<typeof ListedUserGroup>;

export const browseUsers = defineMethod({
  name: 'browse_users',
  summary:
    'Lists users by username, without `default`; optionally those that match a filter or belong to one user group.',
  ...byAdministrators,
  args: {
    filter: optional(text(255), null, 'Part of a name or an e-mail address, in upper or lower case', 'anybody'),
    usersgroupid: optional(entityRef, null, 'Only members of this user group', 'anybody'),
    ...page,
  },
  result: v.strictObject({ users: v.array(ListedUser), next }),
});

export const viewUser = defineMethod({
  name: 'view_user',
  summary: 'Returns the data of a user that the administration pages show.',
  ...byAdministrators,
  args: { userid: required(entityRef, 'Username or user id') },
  result: ListedUser,
});

export const browseUserGroups = defineMethod({
  name: 'browse_user_groups',
  summary: 'Lists user groups by name; optionally those that match a filter or have a user as a member.',
  ...byAdministrators,
  args: {
    filter: nameFilter,
    userid: optional(entityRef, null, 'Only groups of which this user is a member', 'any group'),
    ...page,
  },
  result: v.strictObject({ groups: v.array(ListedUserGroup), next }),
});

export const viewUserGroup = defineMethod({
  name: 'view_user_group',
  summary: 'Returns the data of a user group that its form shows.',
  ...byAdministrators,
  args: { usersgroupid: required(entityRef, 'User group name or id') },
  result: ListedUserGroup,
});

export const browseRepoGroups = defineMethod({
  name: 'browse_repo_groups',
  summary: 'Lists repository groups at any depth by name; optionally those that match a filter.',
  ...byAdministrators,
  args: { filter: nameFilter, ...page },
  result: v.strictObject({
    groups: v.array(
      v.strictObject({ group_id: v.number(), group_name: v.string(), description: v.string(), owner: v.string() }),
    ),
    next,
  }),
});

export const viewStoredSize = defineMethod({
  name: 'view_stored_size',
  summary: 'Returns the number of repositories that a user owns or that are in a repository group, and their bytes.',
  ...byAdministrators,
  args: {
    userid: optional(entityRef, null, 'User id', 'none'),
    repogroupid: optional(entityRef, null, 'Repository group id; either this or `userid`', 'none'),
  },
  result: v.strictObject({ repositories: v.number(), ...StoredSize.entries }),
});

export const viewGlobalGrants = defineMethod({
  name: 'view_global_grants',
  summary: 'Returns the global permissions that are granted to a user or user group itself.',
  ...byAdministrators,
  args: {
    userid: optional(entityRef, null, 'Username or user id', 'none'),
    usersgroupid: optional(entityRef, null, 'User group name or id; either this or `userid`', 'none'),
  },
  result: v.strictObject({ permissions: v.array(v.string()) }),
});

const idsMax = 200;
const idMax = 2 ** 31 - 1;

export const listStrandedOperations = defineMethod({
  name: 'list_stranded_operations',
  summary:
    'Returns which of these operations run on no worker because their storage is offline or lost: administrators can end these, whatever their kind.',
  ...byAdministrators,
  args: {
    ids: required(
      v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.maxLength(idsMax)),
      `At most ${idsMax} operation ids`,
    ),
  },
  result: v.strictObject({ operation_ids: v.array(v.string()) }),
});

export const listRepositoryNames = defineMethod({
  name: 'list_repository_names',
  summary:
    'Returns the current names of repositories by id, without deleted repositories and those that are not ready.',
  ...byAdministrators,
  args: {
    ids: required(v.pipe(v.array(wholeNumber(0, idMax)), v.maxLength(idsMax)), `At most ${idsMax} repository ids`),
  },
  result: v.strictObject({
    repositories: v.array(v.strictObject({ repo_id: v.number(), repo_name: v.string() })),
  }),
});
