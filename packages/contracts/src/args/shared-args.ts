import * as v from 'valibot';
import { optional } from './arg.ts';
import { entityRef, text, wholeNumber } from './schemas.ts';

const idMax = 2 ** 31 - 1;
const entries = wholeNumber(1, 10_000);

/** Maximum number of entries in one page of a list; without `limit` the whole list is one page. */
export const limit = optional(entries, null, 'Maximum number of entries; all entries when absent');

/** The same for lists that grow without end, with calls or with history: without `limit` a page has 100 entries. */
export const historyLimit = optional(entries, 100, 'Maximum number of entries');

/** Returns the argument `cursor`: the id of the last entry of the previous page, since lists are sorted by id. */
export function cursorAfter(idName: string) {
  return optional(wholeNumber(0, idMax), null, `Only entries after the one with this \`${idName}\``);
}

export const refNameCharsMax = 5_000;

/** The argument `cursor` of lists of references, whose pages name the next one: the first digit stands for the kind. */
export const refCursor = optional(
  v.pipe(text(refNameCharsMax + 1), v.regex(/^[0-3]/, 'must be the `next` of another page')),
  null,
  'Only references after those of the page whose `next` this is',
  'the beginning',
);

/** What a revision may be (docs/architecture/vcs.md). */
export const revisionMeaning =
  'Id, number, bookmark, branch, tag, unique prefix of an id, or `tip`; a name in full is `refs/heads/…` or `refs/tags/…` in git, `branch:…`, `tag:…` or `book:…` in hg';

export const landingRevMeaning =
  'Revision that pages show first; `branch:`, `tag:` or `book:` before a name tells its kind';

/** The user whom a call concerns. Users may name only themselves, administrators any user. */
export const targetUser = optional(
  entityRef,
  null,
  'Username or user id; users other than administrators may name only themselves',
  'the caller',
);
