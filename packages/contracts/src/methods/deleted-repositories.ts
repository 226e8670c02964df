import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { cursorAfter, historyLimit } from '../args/page.ts';
import { nameText, wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { DeletedRepositoryRecord, LeftOutRecord } from '../records/deleted-repository.ts';

export const getDeletedRepos = defineMethod({
  name: 'get_deleted_repos',
  summary: 'Lists the deleted repositories that restore_repo can bring back, the last deleted first.',
  permission: { caller: 'admin' },
  lane: 'metadata',
  access: 'read',
  args: { limit: historyLimit, cursor: cursorAfter('repo_id') },
  result: v.array(DeletedRepositoryRecord),
});

export const restoreRepo = defineMethod({
  name: 'restore_repo',
  summary:
    'Brings a deleted repository back under its former id, with its content, owner, permissions, followers, settings and forks; missing repository groups are created.',
  permission: { caller: 'admin' },
  lane: 'storage',
  access: 'operation',
  args: {
    id: required(wholeNumber(1, 2 ** 31 - 1), '`repo_id` of the deleted repository'),
    name: optional(nameText, null, 'Full name for it', 'its former name'),
  },
  result: v.strictObject({
    msg: v.string(),
    success: v.literal(true),
    repo_name: v.string(),
    /** The former owner, or the caller when that user is gone. */
    owner: v.string(),
    /** Number of forks that were attached again. */
    forks: v.number(),
    left_out: LeftOutRecord,
  }),
});
