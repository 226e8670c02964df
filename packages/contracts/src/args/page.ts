import { optional } from './arg.ts';
import { wholeNumber } from './whole-number.ts';

const idMax = 2 ** 31 - 1;

/** How many entries of a list at most; without it the list is whole. */
export const limit = optional(wholeNumber(1, 10_000), null, 'At most so many entries; all without it');

/** Where a page of a list in id order begins: after the entry with this id, the last one of the page before. */
export function cursorAfter(idName: string) {
  return optional(wholeNumber(0, idMax), null, `Only entries after the one with this \`${idName}\``);
}
