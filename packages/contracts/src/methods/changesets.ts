import * as v from 'valibot';
import { alsoSentAs, optional, required } from '../args/arg.ts';
import { dateBound } from '../args/date-bound.ts';
import { entityRef } from '../args/entity-ref.ts';
import { flag } from '../args/flag.ts';
import { limit } from '../args/page.ts';
import { revision } from '../args/revision.ts';
import { text } from '../args/text.ts';
import { defineMethod } from '../method.ts';
import { HistoryRecord, RefsRecord } from '../records/changeset.ts';

const repoid = required(entityRef, 'Repository name or id');
const fullId = v.pipe(text(40), v.regex(/^[0-9a-f]{40}$/, 'must be a full changeset id'));
const withFileList = optional(flag, false, 'With the files it added, changed and removed, against its first parent');

export const getChangeset = defineMethod({
  name: 'get_changeset',
  summary: 'Reads one changeset with its parents.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'storage',
  access: 'read',
  args: {
    repoid,
    revision: required(revision, 'Id, unique prefix, number, branch, tag, bookmark, or `tip`', ['raw_id']),
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
    start: optional(revision, null, 'Revision of the lowest number', 'the oldest'),
    end: optional(revision, null, 'Revision of the highest number', 'the newest'),
    start_date: optional(dateBound('start'), null, 'Day or time stamp (UTC) of the earliest'),
    end_date: optional(dateBound('end'), null, 'Day or time stamp (UTC) of the latest'),
    branch_name: alsoSentAs(optional(text(255), null, 'hg: those committed on it; git: those it reaches'), 'branch'),
    reverse: optional(flag, false, 'Descending instead of ascending'),
    with_file_list: withFileList,
    limit: alsoSentAs(limit, 'max_revisions'),
    cursor: optional(fullId, null, 'Only changesets after the one with this `raw_id`, in the order of the list'),
  },
  result: v.array(HistoryRecord),
});

export const getRepoRefs = defineMethod({
  name: 'get_repo_refs',
  summary: 'Lists bookmarks, branches and tags with the full ids of their changesets.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'storage',
  access: 'read',
  args: { repoid },
  result: RefsRecord,
});
