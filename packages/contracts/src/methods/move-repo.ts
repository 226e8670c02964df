import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, text } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';

export const moveRepo = defineMethod({
  name: 'move_repo',
  summary:
    'Moves a repository to another storage, while it is read and changed. A move that takes long continues in the background: `task` is then the id of its operation.',
  permission: { caller: 'admin', repository: 'admin' },
  lane: 'transfer',
  access: 'operation',
  args: {
    repoid: required(entityRef, 'Repository name or id'),
    storage: required(text(255), 'Name of the storage'),
    family: optional(
      flag,
      false,
      'Whether the repository from which it was forked and all forks on the same storage are moved, too, with the files that they share',
    ),
  },
  result: v.strictObject({ msg: v.string(), success: v.literal(true), task: v.nullable(v.string()) }),
});
