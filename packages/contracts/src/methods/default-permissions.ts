import * as v from 'valibot';
import { optional } from '../args/arg.ts';
import { flag } from '../args/flag.ts';
import { text } from '../args/text.ts';
import { defineMethod } from '../method.ts';
import { DefaultPermissionsRecord } from '../records/default-permissions.ts';

const levelOf = (kind: string, what: string) =>
  optional(text(255), null, `\`${kind}.none\`, \`.read\`, \`.write\` or \`.admin\`: what everybody gets on ${what}`);

export const getDefaultPermissions = defineMethod({
  name: 'get_default_permissions',
  summary: 'Shows what everybody may do.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: {},
  result: DefaultPermissionsRecord,
});

export const updateDefaultPermissions = defineMethod({
  name: 'update_default_permissions',
  summary: 'Changes what everybody may do; what is not given stays.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: {
    repository: levelOf('repository', 'a new repository that is not private'),
    group: levelOf('group', 'a new repository group'),
    usergroup: levelOf('usergroup', 'user groups'),
    create_repository: optional(flag, null, 'Everybody may create repositories'),
    fork_repository: optional(flag, null, 'Everybody may fork what they can read'),
    register: optional(
      text(255),
      null,
      '`hg.register.none`, `hg.register.manual_activate` or `hg.register.auto_activate`',
    ),
    overwrite_repositories: optional(flag, false, 'Give everybody that level on every public repository there is'),
    overwrite_groups: optional(flag, false, 'Give everybody that level on every repository group there is'),
  },
  result: v.strictObject({ msg: v.string(), permissions: DefaultPermissionsRecord }),
});
