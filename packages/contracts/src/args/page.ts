import { optional } from './arg.ts';
import { wholeNumber } from './whole-number.ts';

const idMax = 2 ** 31 - 1;
const entries = wholeNumber(1, 10_000);

/** Maximum number of entries in one page of a list; without `limit` the whole list is one page. */
export const limit = optional(entries, null, 'Maximum number of entries; all entries when absent');

/** The same for lists that grow with every call: without `limit` a page has 100 entries. */
export const historyLimit = optional(entries, 100, 'Maximum number of entries');

/** Returns the argument `cursor`: the id of the last entry of the previous page, since lists are sorted by id. */
export function cursorAfter(idName: string) {
  return optional(wholeNumber(0, idMax), null, `Only entries after the one with this \`${idName}\``);
}
