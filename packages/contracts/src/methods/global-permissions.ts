import * as v from 'valibot';
import { optional, required, withAliases, withValues } from '../args/arg.ts';
import { entityRef, flag, text } from '../args/schemas.ts';
import { levelNames } from '../rights.ts';
import { defineMethod } from '../method.ts';

/** Rights that every user has on new repositories and groups, and on the service as a whole. */
export const DefaultPermissionsRecord = v.strictObject({
  repository: v.picklist(['repository.none', 'repository.read', 'repository.write', 'repository.admin']),
  group: v.picklist(['group.none', 'group.read', 'group.write', 'group.admin']),
  usergroup: v.picklist(['usergroup.none', 'usergroup.read', 'usergroup.write', 'usergroup.admin']),
  create_repository: v.boolean(),
  fork_repository: v.boolean(),
  register: v.picklist(['hg.register.none', 'hg.register.manual_activate', 'hg.register.auto_activate']),
});
export type DefaultPermissionsRecord = v.InferOutput<typeof DefaultPermissionsRecord>;

const levelOf = (kind: string, what: string) =>
  withValues(
    optional(text(255), null, `\`${kind}.none\`, \`.read\`, \`.write\` or \`.admin\`: default level on ${what}`),
    levelNames.map((level) => `${kind}.${level}`),
  );

export const getDefaultPermissions = defineMethod({
  name: 'get_default_permissions',
  summary: 'Returns the default permissions, which apply to all users.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: {},
  result: DefaultPermissionsRecord,
});

export const updateDefaultPermissions = defineMethod({
  name: 'update_default_permissions',
  summary: 'Changes the default permissions; absent arguments change nothing.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    repository: levelOf('repository', 'new repositories that are not private'),
    group: levelOf('group', 'new repository groups'),
    usergroup: levelOf('usergroup', 'user groups'),
    create_repository: optional(flag, null, 'Whether all users can create repositories'),
    fork_repository: optional(flag, null, 'Whether all users can fork the repositories that they can read'),
    register: withValues(
      optional(
        text(255),
        null,
        '`hg.register.none`, `hg.register.manual_activate` or `hg.register.auto_activate`: stored and returned, without effect',
      ),
      DefaultPermissionsRecord.entries.register.options,
    ),
    overwrite_repositories: optional(
      flag,
      false,
      'Whether the level is also set on all existing repositories that are not private',
    ),
    overwrite_groups: optional(flag, false, 'Whether the level is also set on all existing repository groups'),
  },
  result: v.strictObject({ msg: v.string(), permissions: DefaultPermissionsRecord }),
});

const grantArgs = {
  perm: withValues(required(v.nullable(text(255)), '`hg.create.repository` or `hg.fork.repository`'), [
    'hg.create.repository',
    'hg.fork.repository',
  ]),
  userid: optional(entityRef, null, 'Username or user id; `default` stands for everybody', 'none'),
  usersgroupid: withAliases(
    optional(entityRef, null, 'User group name or id; either this or `userid`', 'none'),
    'usergroupid',
  ),
};
const granted = v.strictObject({ msg: v.string(), success: v.literal(true) });

export const grantGlobalPermission = defineMethod({
  name: 'grant_global_permission',
  summary: 'Grants a global permission to a user or a user group.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: grantArgs,
  result: granted,
});

export const revokeGlobalPermission = defineMethod({
  name: 'revoke_global_permission',
  summary: 'Revokes a global permission from a user or a user group.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: grantArgs,
  result: granted,
});
