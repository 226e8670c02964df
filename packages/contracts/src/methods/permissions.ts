import * as v from 'valibot';
import { required, withValues } from '../args/arg.ts';
import { entityRef, text } from '../args/schemas.ts';
import { levelNames } from '../level.ts';
import { defineMethod } from '../method.ts';

const permission = { caller: 'admin', repository: 'admin' } as const;
const repoid = required(entityRef, 'Repository name or id');
const userid = required(entityRef, 'Username or user id; `default` stands for everybody');
const usersgroupid = required(entityRef, 'User group name or id', ['usergroupid']);
const perm = withValues(
  required(v.nullable(text(255)), '`repository.none`, `repository.read`, `repository.write` or `repository.admin`'),
  levelNames.map((level) => `repository.${level}`),
);
const result = v.strictObject({ msg: v.string(), success: v.literal(true) });

export const grantUserPermission = defineMethod({
  name: 'grant_user_permission',
  summary: 'Sets the level of a user on a repository.',
  permission,
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid, perm },
  result,
});

export const revokeUserPermission = defineMethod({
  name: 'revoke_user_permission',
  summary: 'Removes the level of a user on a repository.',
  permission,
  lane: 'metadata',
  access: 'write',
  args: { repoid, userid },
  result,
});

export const grantUserGroupPermission = defineMethod({
  name: 'grant_user_group_permission',
  aliases: ['grant_users_group_permission'],
  summary: 'Sets the level of a user group on a repository.',
  permission,
  lane: 'metadata',
  access: 'write',
  args: { repoid, usersgroupid, perm },
  result,
});

export const revokeUserGroupPermission = defineMethod({
  name: 'revoke_user_group_permission',
  aliases: ['revoke_users_group_permission'],
  summary: 'Removes the level of a user group on a repository.',
  permission,
  lane: 'metadata',
  access: 'write',
  args: { repoid, usersgroupid },
  result,
});
