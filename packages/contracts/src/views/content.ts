import * as v from 'valibot';
import { optional, required } from '../args/arg.ts';
import { entityRef, flag, revision, text, wholeNumber } from '../args/schemas.ts';
import { revisionMeaning } from '../args/shared-args.ts';
import { contentOf } from '../messages/content.ts';
import { defineMethod } from '../method.ts';
import { HistoryRecord } from '../methods/changesets.ts';
import { patchOptions, sides } from '../methods/comparisons.ts';

const readers = { caller: 'any', repository: 'read', refuseOpenly: true } as const;
const content = { permission: readers, lane: 'download', access: 'read' } as const;

const at = {
  repoid: required(entityRef, 'Repository name or id'),
  revision: required(revision, revisionMeaning),
};
const path = required(text(4_096), 'Path from the root of the repository');

const size = v.nullable(v.number());

/** What is known of a submodule. `address` is what anybody who pushes has written. */
export const Submodule = v.strictObject({ commit: v.string(), address: v.nullable(v.string()) });

const entry = v.strictObject({
  name: v.string(),
  kind: v.picklist(['file', 'dir', 'symlink', 'submodule']),
  size,
  /** True for a file that can be run; absent for all others, and in answers of earlier releases. */
  executable: v.optional(v.boolean()),
  /** Of a submodule; workers of 0.1 do not send it. */
  submodule: v.optional(Submodule),
});

export const viewPath = defineMethod({
  name: 'view_path',
  summary: 'Returns a directory, or a file with its text unless it is too large.',
  permission: readers,
  lane: 'storage',
  access: 'read',
  args: { ...at, path },
  result: v.strictObject({
    changeset: HistoryRecord,
    /** Null for a file. */
    entries: v.nullable(v.array(entry)),
    /** Null for a directory. `text` is null when the file is binary or too large to be shown. */
    file: v.nullable(
      v.strictObject({
        size: v.number(),
        executable: v.boolean(),
        symlink: v.boolean(),
        binary: v.boolean(),
        text: v.nullable(v.string()),
        /** The encoding from which the text was decoded; absent for UTF-8, and in answers of earlier releases. */
        encoding: v.optional(v.string()),
        /** Width and height of an image; absent where they are not known, and in answers of earlier releases. */
        image: v.optional(v.strictObject({ width: v.number(), height: v.number() })),
      }),
    ),
  }),
});

export const downloadFile = defineMethod({
  name: 'download_file',
  summary: 'Returns the raw content of a file.',
  ...content,
  args: { ...at, path },
  result: contentOf(
    v.strictObject({
      rawId: v.string(),
      size: v.number(),
      binary: v.boolean(),
      /** Whether all of the file is known to be UTF-8; absent in answers of earlier releases. */
      utf8: v.optional(v.boolean()),
    }),
  ),
});

const onlyFile = {
  path: optional(text(4_096), null, 'Path of the only file whose change is returned', 'all files'),
  old_path: optional(text(4_096), null, 'Path of that file before the change, where it was another one', 'the same'),
};
const binary = optional(flag, true, 'Whether the contents of binary files are in it, so that it can be applied');

export const downloadComparison = defineMethod({
  name: 'download_comparison',
  summary: 'Returns the diff between the newest common ancestor of two revisions and `to`, in git format.',
  ...content,
  args: { ...sides, ...patchOptions, ...onlyFile, binary },
  result: contentOf(v.strictObject({ rawId: v.string() })),
});

export const downloadDiff = defineMethod({
  name: 'download_diff',
  summary: 'Returns the diff of a changeset against one of its parents, in git format.',
  ...content,
  args: {
    ...at,
    ...patchOptions,
    // Workers of 0.1 ignore these three: they send the change of all files, against the first parent.
    ...onlyFile,
    parent: optional(wholeNumber(1, 1_000), 1, 'Number of the parent with which the changeset is compared'),
    binary,
  },
  /** `parent` is absent in answers of earlier releases. */
  result: contentOf(v.strictObject({ rawId: v.string(), parent: v.optional(v.number()) })),
});

export const downloadPatch = defineMethod({
  name: 'download_patch',
  summary: 'Returns a changeset as a patch that can be imported.',
  ...content,
  args: { ...at, ...patchOptions },
  result: contentOf(v.strictObject({ rawId: v.string() })),
});

export const archiveFormats = ['zip', 'tar', 'tar.gz', 'tar.bz2'] as const;

export const downloadArchive = defineMethod({
  name: 'download_archive',
  summary:
    'Returns an archive of all files at a changeset, in a directory named after the repository and the changeset.',
  ...content,
  args: {
    ...at,
    format: required(
      v.picklist(archiveFormats, `must be one of ${archiveFormats.join(', ')}`),
      'Format of the archive',
    ),
    subrepos: optional(flag, false, 'hg: whether subrepositories are included'),
  },
  result: contentOf(v.strictObject({ rawId: v.string() })),
});

export const viewContentId = defineMethod({
  name: 'view_content_id',
  summary: 'Returns the changeset of which a download would send content, and the size of a file.',
  permission: readers,
  lane: 'storage',
  access: 'read',
  args: {
    ...at,
    of: required(v.picklist(['file', 'archive'], 'must be file or archive'), '`file` or `archive`'),
    path: optional(text(4_096), null, 'Path of a file whose size is to be returned'),
  },
  result: v.strictObject({ raw_id: v.string(), size }),
});
