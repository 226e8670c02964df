import * as v from 'valibot';
import { optional, required, withValues } from '../args/arg.ts';
import { entityRef, flag, revision, text, wholeNumber } from '../args/schemas.ts';
import { revisionMeaning } from '../args/shared-args.ts';
import { defineMethod } from '../method.ts';

/** A file as RhodeCode shapes it; `name` is the full path. `minimal` has the first two members alone. */
const FileRecord = v.strictObject({
  name: v.string(),
  type: v.literal('file'),
  binary: v.optional(v.boolean()),
  /** The end of the name from its last dot on, such as `.py`; empty without one. */
  extension: v.optional(v.string()),
  /** Number of lines; null for a binary file, and for one of more than 16 MB, of which not all is read. */
  lines: v.optional(v.nullable(v.number())),
  /** Digest of the bytes, in hexadecimal digits; null for a file of more than 16 MB. */
  md5: v.optional(v.nullable(v.string())),
  mimetype: v.optional(v.string()),
  /** Size in bytes. */
  size: v.optional(v.number()),
  /** With `full` alone: the text, decoded as pages decode it. */
  content: v.optional(v.nullable(v.string())),
  /** Why `content` is null; absent where it is not. */
  content_missing: v.optional(v.picklist(['binary', 'too large'])),
});

export const getRepoFile = defineMethod({
  name: 'get_repo_file',
  summary:
    'Returns a file at a revision, and its text where asked to; null when the repository is empty. A symbolic link is a file whose text is its target.',
  permission: { caller: 'any', repository: 'read' },
  lane: 'storage',
  access: 'read',
  args: {
    repoid: required(entityRef, 'Repository name or id'),
    commit_id: required(revision, revisionMeaning),
    file_path: required(text(4_096), 'Path from the root of the repository'),
    max_file_bytes: optional(
      wholeNumber(0, 2 ** 31 - 1),
      0,
      'Size in bytes above which `content` is null; 0 for the limit of 1 MB, which is also the greatest',
    ),
    details: withValues(
      optional(text(255), 'basic', '`minimal` for name and type, `basic`, or `full` for the content, too'),
      ['minimal', 'basic', 'full'],
    ),
    cache: optional(flag, true, 'Accepted, without effect'),
  },
  result: v.nullable(FileRecord),
});
