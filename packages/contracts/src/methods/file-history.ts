import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, revision, text, wholeNumber } from '../args/schemas.ts';
import { revisionMeaning } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';
import { BriefChangeset } from '../records/repository.ts';
import { HistoryRecord } from './changesets.ts';

const pathCharsMax = 4_096;
/** Lines of one answer, as many as a page of a file shows. */
const linesMax = 20_000;
const skipMax = 999_999;

const repoid = required(entityRef, 'Repository name or id');
const rawId = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/));
const read = { permission: { caller: 'any', repository: 'read' }, lane: 'storage', access: 'read' } as const;

/** Where a page of a history begins: the changeset whose history it is, and how many newer changes are left out. */
export interface HistoryCursor {
  readonly rawId: string;
  readonly skip: number;
}

const historyCursor: v.GenericSchema<unknown, HistoryCursor> = v.pipe(
  text(50),
  v.regex(/^[0-9a-f]{40}:[0-9]{1,6}$/, 'must be the `next` of another page'),
  v.transform((sent) => ({ rawId: sent.slice(0, 40), skip: Number(sent.slice(41)) })),
);

/** Returns the cursor of a page; null where no page can begin. */
export function cursorOfHistory({ rawId: id, skip }: HistoryCursor): string | null {
  return skip > skipMax ? null : `${id}:${skip}`;
}

/** A changeset that changed a file, or something in a directory. */
const PathChange = v.strictObject({
  ...v.omit(HistoryRecord, ['added', 'changed', 'removed']).entries,
  /** The path at that changeset; that before it for a file that the changeset removed. */
  path: v.string(),
  /** Null for a directory. */
  change: v.nullable(v.picklist(['added', 'changed', 'removed', 'renamed', 'copied'])),
  /** The path before it, of a file that the changeset renamed or copied. */
  former_path: v.nullable(v.string()),
});
export type PathChange = v.InferOutput<typeof PathChange>;

export const getFileHistory = defineMethod({
  name: 'get_file_history',
  summary:
    'Lists the changesets that changed a file, under its former names, too, or something in a directory: the newest first, among the ancestors of a changeset. `kind` is null for a path that is not there any more, `complete` false where the search took too long and was ended.',
  ...read,
  args: {
    repoid,
    file_path: required(text(pathCharsMax), 'Path from the root of the repository'),
    revision: optional(revision, null, revisionMeaning, 'the newest'),
    limit: optional(wholeNumber(1, 1_000), 100, 'Maximum number of entries'),
    cursor: optional(historyCursor, null, 'Only changes after those of the page whose `next` this is', 'the newest'),
  },
  result: v.strictObject({
    raw_id: rawId,
    kind: v.nullable(v.picklist(['file', 'dir', 'symlink', 'submodule'])),
    changes: v.array(PathChange),
    next: v.nullable(v.string()),
    complete: v.boolean(),
  }),
});

/** A changeset that has written lines, with the first line of its message, and what was before it; null for a new file. */
const Origin = v.strictObject({
  ...BriefChangeset.entries,
  path: v.string(),
  before: v.nullable(v.strictObject({ raw_id: rawId, path: v.string() })),
});
export type LineOrigin = v.InferOutput<typeof Origin>;

export const annotateFile = defineMethod({
  name: 'annotate_file',
  summary:
    'Returns, for the lines of a file, which changesets have written them. A block is consecutive lines of the origin with that index, and begins there in the line `origin_line`; lines are counted from 1.',
  ...read,
  args: {
    repoid,
    file_path: required(text(pathCharsMax), 'Path from the root of the repository'),
    revision: optional(revision, null, revisionMeaning, 'the newest'),
    start_line: optional(wholeNumber(1, 10_000_000), 1, 'First line'),
    limit: optional(wholeNumber(1, linesMax), 1_000, 'Maximum number of lines'),
  },
  result: v.strictObject({
    raw_id: rawId,
    /** Number of lines of the whole file. */
    line_count: v.number(),
    origins: v.array(Origin),
    blocks: v.array(
      v.strictObject({ line: v.number(), lines: v.number(), origin: v.number(), origin_line: v.number() }),
    ),
    /** The line with which the next page begins. */
    next_line: v.nullable(v.number()),
  }),
});
