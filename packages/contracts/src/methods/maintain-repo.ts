import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

export const maintainRepo = defineMethod({
  name: 'maintain_repo',
  summary:
    'Packs the files of a repository now, while it is read and changed. What takes long continues in the background: `task` is then the id of its operation.',
  permission: { caller: 'any', repository: 'admin' },
  lane: 'transfer',
  access: 'operation',
  args: {
    repoid: required(entityRef, 'Repository name or id'),
    remove_unreachable: optional(
      flag,
      false,
      'Whether objects of git that no reference reaches are removed for good, which otherwise stay for some weeks; forks keep theirs',
    ),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true), task: v.nullable(v.string()) }),
});
