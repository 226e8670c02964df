import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, revision, wholeNumber } from '../args/schemas.ts';
import { revisionMeaning } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';
import { HistoryRecord } from './changesets.ts';

const rawId = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/));
const reads = { permission: { caller: 'any', repository: 'read' }, lane: 'storage', access: 'read' } as const;

/** The arguments that name two revisions, of one repository or of two. */
export const sides = {
  repoid: required(entityRef, 'Repository name or id'),
  from: required(revision, revisionMeaning),
  to: required(revision, 'The same of the revision that is compared with it'),
  other_repoid: optional(
    entityRef,
    null,
    'Repository of `to`, such as a fork: of the same type and on the same storage',
    '`repoid`',
  ),
};

export const patchOptions = {
  context: optional(wholeNumber(0, 1_000_000), 3, 'Lines of context around each change'),
  ignorews: optional(flag, false, 'Whether changes of whitespace only are left out'),
};

/** Full ids of both revisions, and of their newest common ancestor; null for none. */
const Pair = { from: rawId, to: rawId, merge_base: v.nullable(rawId) };

const paths = v.array(v.string());

export const compareRevisions = defineMethod({
  name: 'compare_revisions',
  summary:
    'Lists the changesets that only `to` has, the newest first, and the files that differ between it and the newest common ancestor.',
  ...reads,
  args: {
    ...sides,
    limit: optional(wholeNumber(1, 500), 50, 'Maximum number of changesets'),
    cursor: optional(wholeNumber(0, 2 ** 31 - 1), 0, 'The `next` of another page', 'the beginning'),
  },
  result: v.strictObject({
    ...Pair,
    /** How many changesets only `to` has, and how many only `from` has. */
    ahead: v.number(),
    behind: v.number(),
    changesets: v.array(HistoryRecord),
    /** The cursor of the next page; null on the last one. */
    next: v.nullable(v.number()),
    /** Full paths, at most 10,000 together; null on further pages, and where too much differs. */
    files: v.nullable(
      v.strictObject({
        added: paths,
        changed: paths,
        removed: paths,
        /** Whether there are more. */
        truncated: v.boolean(),
      }),
    ),
  }),
});

const diffBytesMax = 4 * 1024 * 1024;

export const getRepoDiff = defineMethod({
  name: 'get_repo_diff',
  summary:
    'Returns the difference between the newest common ancestor of two revisions and `to`, in git format. Binary files are only named.',
  ...reads,
  args: {
    ...sides,
    context: patchOptions.context,
    ignore_whitespace: patchOptions.ignorews,
    max_bytes: optional(wholeNumber(1, diffBytesMax), 1024 * 1024, 'Bytes after which the difference is cut off'),
  },
  result: v.strictObject({ ...Pair, diff: v.string(), truncated: v.boolean() }),
});
