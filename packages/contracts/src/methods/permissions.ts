import * as v from 'valibot';
import { optional, required, withValues } from '../args/arg.ts';
import { entityRef, text } from '../args/schemas.ts';
import { levelNames } from '../rights.ts';
import { defineMethod } from '../method.ts';

const onRepository = { caller: 'admin', repository: 'admin' } as const;
const repoid = required(entityRef, 'Repository name or id');
const userid = required(entityRef, 'Username or user id; `default` stands for everybody');
const usersgroupid = required(entityRef, 'User group name or id', ['usergroupid']);
const repositoryLevel = withValues(
  required(v.nullable(text(255)), '`repository.none`, `repository.read`, `repository.write` or `repository.admin`'),
  levelNames.map((level) => `repository.${level}`),
);
const result = v.strictObject({ msg: v.string(), success: v.literal(true) });

export const grantUserPermission = defineMethod({
  name: 'grant_user_permission',
  summary: 'Sets the level of a user on a repository.',
  permission: onRepository,
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid, perm: repositoryLevel },
  result,
});

export const revokeUserPermission = defineMethod({
  name: 'revoke_user_permission',
  summary: 'Removes the level of a user on a repository.',
  permission: onRepository,
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid },
  result,
});

export const grantUserGroupPermission = defineMethod({
  name: 'grant_user_group_permission',
  aliases: ['grant_users_group_permission'],
  summary: 'Sets the level of a user group on a repository.',
  permission: onRepository,
  lane: 'metadata',
  access: 'write',
  args: { repoid, usersgroupid, perm: repositoryLevel },
  result,
});

export const revokeUserGroupPermission = defineMethod({
  name: 'revoke_user_group_permission',
  aliases: ['revoke_users_group_permission'],
  summary: 'Removes the level of a user group on a repository.',
  permission: onRepository,
  lane: 'metadata',
  access: 'write',
  args: { repoid, usersgroupid },
  result,
});

const onRepoGroup = { caller: 'any', repoGroup: 'admin' } as const;
const repogroupid = required(entityRef, 'Repository group name or id');
const groupLevel = withValues(
  required(v.nullable(text(255)), '`group.none`, `group.read`, `group.write` or `group.admin`'),
  levelNames.map((level) => `group.${level}`),
);
const applyToChildren = optional(
  v.picklist(['none', 'repos', 'groups', 'all'], 'must be `none`, `repos`, `groups` or `all`'),
  'none',
  'Objects below the group on which the level is also set: `none`, `repos`, `groups` or `all`',
);

export const grantUserPermissionToRepoGroup = defineMethod({
  name: 'grant_user_permission_to_repo_group',
  summary: 'Sets the level of a user on a repository group.',
  permission: onRepoGroup,
  lane: 'metadata',
  access: 'write',
  args: { repogroupid, userid, perm: groupLevel, apply_to_children: applyToChildren },
  result,
});

export const revokeUserPermissionFromRepoGroup = defineMethod({
  name: 'revoke_user_permission_from_repo_group',
  summary: 'Removes the level of a user on a repository group.',
  permission: onRepoGroup,
  lane: 'metadata',
  access: 'write',
  args: { repogroupid, userid, apply_to_children: applyToChildren },
  result,
});

export const grantUserGroupPermissionToRepoGroup = defineMethod({
  name: 'grant_user_group_permission_to_repo_group',
  summary: 'Sets the level of a user group on a repository group.',
  permission: onRepoGroup,
  lane: 'metadata',
  access: 'write',
  args: { repogroupid, usersgroupid, perm: groupLevel, apply_to_children: applyToChildren },
  result,
});

export const revokeUserGroupPermissionFromRepoGroup = defineMethod({
  name: 'revoke_user_group_permission_from_repo_group',
  summary: 'Removes the level of a user group on a repository group.',
  permission: onRepoGroup,
  lane: 'metadata',
  access: 'write',
  args: { repogroupid, usersgroupid, apply_to_children: applyToChildren },
  result,
});
