import * as v from 'valibot';
import { ChangesetRecord } from '../records/repository.ts';
import { optional, required, withAliases } from '../args/arg.ts';
import { dateBound, entityRef, flag, revision, text, wholeNumber } from '../args/schemas.ts';
import { historyLimit, refCursor, revisionMeaning } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';

const rawId = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/));
const files = v.optional(v.array(v.string()));

/** Changeset with its parents. `branch` is null for git; the three lists of full paths are present only on request. */
export const HistoryRecord = v.strictObject({
  ...ChangesetRecord.entries,
  parents: v.array(rawId),
  branch: v.nullable(v.string()),
  added: files,
  changed: files,
  removed: files,
});
export type HistoryRecord = v.InferOutput<typeof HistoryRecord>;

const changesetsByName = v.record(v.string(), rawId);

/** A page of the references; `next` is the cursor of the next page, absent on the last one. */
export const RefsRecord = v.strictObject({
  bookmarks: changesetsByName,
  branches: changesetsByName,
  branches_closed: changesetsByName,
  tags: changesetsByName,
  next: v.optional(v.string()),
});
export type RefsRecord = v.InferOutput<typeof RefsRecord>;

const repoid = required(entityRef, 'Repository name or id');
const fullId = v.pipe(text(40), v.regex(/^[0-9a-f]{40}$/, 'must be a full changeset id'));
const withFileList = optional(
  flag,
  false,
  'Whether the files that were added, changed and removed against the first parent are included',
);

export const getChangeset = defineMethod({
  name: 'get_changeset',
  summary: 'Returns one changeset with its parents.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'storage',
  access: 'read',
  args: {
    repoid,
    revision: required(revision, revisionMeaning, ['raw_id']),
    with_file_list: withFileList,
  },
  result: HistoryRecord,
});

export const getChangesets = defineMethod({
  name: 'get_changesets',
  summary: 'Lists changesets in the order of their numbers.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'storage',
  access: 'read',
  args: {
    repoid,
    start: optional(revision, null, 'Revision with the lowest number', 'the oldest'),
    end: optional(revision, null, 'Revision with the highest number', 'the newest'),
    start_date: optional(dateBound('start'), null, 'Date or time stamp (UTC) of the earliest changeset'),
    end_date: optional(dateBound('end'), null, 'Date or time stamp (UTC) of the latest changeset'),
    branch_name: withAliases(
      optional(
        text(255),
        null,
        'Branch; hg: changesets committed on it, or reachable from a bookmark named in full, `book:…`; git: reachable from it',
      ),
      'branch',
    ),
    reverse: optional(flag, false, 'Whether the order is descending'),
    with_file_list: withFileList,
    limit: withAliases(historyLimit, 'max_revisions'),
    cursor: optional(fullId, null, 'Only changesets after the one with this `raw_id`, in the order of the list'),
  },
  result: v.array(HistoryRecord),
});

export const getRepoRefs = defineMethod({
  name: 'get_repo_refs',
  summary:
    'Lists bookmarks, branches and tags with the full ids of their changesets, by name: open branches, bookmarks, tags, closed branches. The result has `next` when there are more.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'storage',
  access: 'read',
  args: {
    repoid,
    limit: optional(wholeNumber(1, 10_000), 1_000, 'Maximum number of references of all kinds'),
    cursor: refCursor,
  },
  result: RefsRecord,
});
