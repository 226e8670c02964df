import * as v from 'valibot';
import { optional, withValues } from '../args/arg.ts';
import { flag, text } from '../args/schemas.ts';
import { levelNames } from '../level.ts';
import { defineMethod } from '../method.ts';
import { DefaultPermissionsRecord } from '../records/default-permissions.ts';

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
      optional(text(255), null, '`hg.register.none`, `hg.register.manual_activate` or `hg.register.auto_activate`'),
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
