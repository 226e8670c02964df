import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, nameText, text } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

export const forkRepo = defineMethod({
  name: 'fork_repo',
  summary:
    'Forks a repository under a new name; missing repository groups are created. A fork that takes long continues in the background: `task` is then the id of its operation.',
  permission: { caller: ['hg.fork.repository', 'hg.create.repository'], repository: 'read' },
  lane: 'storage',
  access: 'operation',
  args: {
    repoid: required(entityRef, 'Repository name or id'),
    fork_name: required(nameText, 'Full name; segments before the last `/` are repository groups'),
    owner: optional(entityRef, null, 'Username or user id; administrators only', 'the caller'),
    description: optional(text(10_000), '', 'Description; the last segment of the name when empty'),
    copy_permissions: optional(flag, false, 'Whether the levels of users and user groups are copied from the source'),
    private: optional(
      flag,
      null,
      'Whether only users with a level on the fork can see it; always so for a fork of a private repository by a user without admin level on it',
      'same as the source',
    ),
    landing_rev: optional(text(255), 'tip', 'Revision that pages show first'),
    storage: optional(text(255), null, 'Name of the storage; administrators only', 'that of the source'),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true), task: v.nullable(v.string()) }),
});
