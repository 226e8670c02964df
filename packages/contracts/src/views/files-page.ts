import * as v from 'valibot';
import { optional } from '../args/arg.ts';
import { wholeNumber } from '../args/schemas.ts';
import { defineMethod } from '../method.ts';
import { BriefChangeset } from '../records/repository.ts';
import { viewRepository } from './browse.ts';
import { Submodule, viewPath } from './content.ts';
import { listRefs, NameMeaning } from './refs.ts';

const { refs, next } = listRefs.result.entries;

/** As many entries of a directory are on one page. */
export const shownEntriesMax = 1_000;

/** The newest changes of a directory's entries. */
const Changes = v.strictObject({
  /** The newest changeset that changed anything in the directory; null when none did. */
  newest: v.nullable(BriefChangeset),
  /** Each changeset once. */
  changesets: v.array(BriefChangeset),
  /** The index in `changesets` for each entry of a page, in their order; null where none is known. */
  entries: v.array(v.nullable(v.number())),
});

export const viewFilesPage = defineMethod({
  name: 'view_files_page',
  summary: 'Returns what the page of a directory or file shows: the repository, the path, and the first references.',
  permission: viewPath.permission,
  lane: viewPath.lane,
  access: 'read',
  args: {
    ...viewPath.args,
    changes_from: optional(
      wholeNumber(0, 1_000_000),
      null,
      `Number of the entry of a directory from which on the last changes of ${shownEntriesMax} are returned`,
      'none',
    ),
    refs_limit: optional(wholeNumber(1, 500), 100, 'Maximum number of references'),
  },
  result: v.strictObject({
    /** As `view_repository` returns it. */
    repository: viewRepository.result,
    /** As `view_path` returns it; null for a revision or a path that does not exist. */
    shown: v.nullable(viewPath.result),
    /** The text of the error where `shown` is null. */
    not_found: v.nullable(v.string()),
    /** What is at the path where `shown` is null because a submodule is there; absent in answers of earlier releases. */
    submodule: v.optional(Submodule),
    /** The first page of `list_refs`. */
    refs: v.strictObject({ refs, next }),
    /** Null for a file, and when it would take too long; absent unless asked for, and in answers of earlier releases. */
    changes: v.optional(v.nullable(Changes)),
    /** That of the revision; absent in answers of earlier releases. */
    meaning: v.optional(NameMeaning),
  }),
});
