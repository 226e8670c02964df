import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { nameText, text } from '../args/text.ts';
import { defineMethod } from '../method.ts';

export const forkRepo = defineMethod({
  name: 'fork_repo',
  summary:
    'Copies a repository under a new name; missing repository groups are created. One that takes long goes on after the answer: then `task` is its operation’s id.',
  permission: { caller: ['hg.fork.repository', 'hg.create.repository'], repository: 'read' },
  lane: 'storage',
  access: 'operation',
  args: {
    repoid: required(entityRef, 'Repository name or id'),
    fork_name: required(nameText, 'Full name; segments before the last `/` are repository groups'),
    owner: optional(entityRef, null, 'Username or user id; administrators only', 'the caller'),
    description: optional(text(10_000), '', 'Shown to people; the last segment of the name when empty'),
    copy_permissions: optional(flag, false, 'Give the fork the levels that users and groups have on the source'),
    private: optional(
      flag,
      null,
      'Only explicit members see it; always of a private source without admin on it',
      'as the source',
    ),
    landing_rev: optional(text(255), 'tip', 'Revision that pages show first'),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true), task: v.nullable(v.string()) }),
});
