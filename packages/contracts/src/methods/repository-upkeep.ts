import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, text } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

const repoid = required(entityRef, 'Repository name or id');

export const moveRepo = defineMethod({
  name: 'move_repo',
  summary:
    'Moves a repository to another storage, while it is read and changed. A move that takes long continues in the background: `task` is then the id of its operation.',
  permission: { caller: 'admin', repository: 'admin' },
  lane: 'transfer',
  access: 'operation',
  args: {
    repoid,
    storage: required(text(255), 'Name of the storage'),
    family: optional(
      flag,
      false,
      'Whether the repository from which it was forked and all forks on the same storage are moved, too, with the files that they share',
    ),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true), task: v.nullable(v.string()) }),
});

export const maintainRepo = defineMethod({
  name: 'maintain_repo',
  summary:
    'Packs the files of a repository now, while it is read and changed. What takes long continues in the background: `task` is then the id of its operation.',
  permission: { caller: 'any', repository: 'admin' },
  lane: 'transfer',
  access: 'operation',
  args: {
    repoid,
    remove_unreachable: optional(
      flag,
      false,
      'Whether objects of git that no reference reaches are removed for good, which otherwise stay for some weeks; forks keep theirs',
    ),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true), task: v.nullable(v.string()) }),
});

export const verifyRepo = defineMethod({
  name: 'verify_repo',
  summary:
    'Has all of a repository read in the background, by `git fsck` or `hg verify`, to find what is damaged or missing. `get_server_info` lists damaged repositories.',
  permission: { caller: 'admin', repository: 'admin' },
  lane: 'metadata',
  access: 'write',
  args: { repoid },
  result: v.strictObject({ msg: v.string(), success: v.literal(true) }),
});
