import { shownLinesMax } from '../../render/plain-text.ts';

/** The lines that an address marks, counted from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Parses `lines` of an address, such as `10` or `10-20`; null for anything else, and for lines that are not shown. */
export function parseLineRange(value: string | null): LineRange | null {
  const [, one = '0', other = one] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(value ?? '') ?? [];
  const [first, last] = [Math.min(+one, +other), Math.max(+one, +other)];
  return first >= 1 && first <= shownLinesMax ? { first, last } : null;
}

/** Returns the end of the address at which lines are marked and shown. */
export function queryOf({ first, last }: LineRange): string {
  return `?lines=${first === last ? first : `${first}-${last}`}#L${first}`;
}

// Texts in the lines are escaped, so that only `numberLines` has written what these patterns match.
const lineStart = '<span class="line" id="L';
const numberLinks = /<a href="\?lines=\d+#L\d+">(\d+)<\/a>/g;

/**
 * Marks lines in what `numberLines` has returned. While one line is marked, the other numbers lead to the range from it
 * to them, so that a range is chosen by two clicks without a script.
 */
export function markLines(html: string, range: LineRange): string {
  const { first, last } = range;
  const begin = html.indexOf(`${lineStart}${first}"`);
  if (begin < 0) return html;
  const after = html.indexOf(`${lineStart}${last + 1}"`, begin);
  const end = after < 0 ? html.length : after;
  const marked =
    html.slice(0, begin) +
    html.slice(begin, end).replaceAll(lineStart, '<span class="line marked" id="L') +
    html.slice(end);
  if (first !== last) return marked;
  return marked.replaceAll(numberLinks, (link, number: string) => {
    if (Number(number) === first) return link;
    const [from, to] = [Math.min(first, +number), Math.max(first, +number)];
    return `<a href="${queryOf({ first: from, last: to })}">${number}</a>`;
  });
}
