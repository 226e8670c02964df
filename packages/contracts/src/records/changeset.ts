import * as v from 'valibot';
import { ChangesetRecord } from './repository.ts';

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
