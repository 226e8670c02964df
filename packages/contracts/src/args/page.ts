import { optional } from './arg.ts';
import { wholeNumber } from './whole-number.ts';

const idMax = 2 ** 31 - 1;

/** The most entries a page of a list has; without `limit` the whole list is one page. */
export const limit = optional(wholeNumber(1, 10_000), null, 'At most so many entries; all without it');

/** The id of the last entry of the page before; lists are in the order of ids. */
export function cursorAfter(idName: string) {
  return optional(wholeNumber(0, idMax), null, `Only entries after the one with this \`${idName}\``);
}
