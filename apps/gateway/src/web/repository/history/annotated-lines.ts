import type { LineOrigin, ResultOfMethod, Served } from '@trunkline/contracts';

type Annotated = ResultOfMethod<Served['annotate_file']>;

/** Consecutive lines of a page that one changeset has written. */
export interface PageBlock {
  readonly line: number;
  readonly lines: number;
  readonly origin: LineOrigin;
  /** The number of the first line in the file of the origin. */
  readonly originLine: number;
  /** The shade of its age: 0 for the newest, `shades - 1` for the oldest. */
  readonly shade: number;
}

/** The number of shades that `history-css.ts` has classes for. */
export const shades = 8;

/** Returns the shades of the dates of a page, in equal parts: most files have grown in a few short times. */
function shadesOf(dates: Iterable<string>): ReadonlyMap<string, number> {
  const newestFirst = [...new Set(dates)].toSorted().toReversed();
  return new Map(newestFirst.map((date, index) => [date, Math.floor((index * shades) / newestFirst.length)]));
}

/** Returns the blocks of a page. Neighbours of one origin are one block, though other lines were between them there. */
export function pageBlocks({ origins, blocks }: Pick<Annotated, 'origins' | 'blocks'>): PageBlock[] {
  const shadeOf = shadesOf(origins.map(({ date }) => date));
  const joined: PageBlock[] = [];
  for (const { line, lines, origin: index, origin_line: originLine } of blocks) {
    const origin = origins[index];
    const last = joined.at(-1);
    if (origin && last?.origin === origin) joined[joined.length - 1] = { ...last, lines: last.lines + lines };
    else if (origin) joined.push({ line, lines, origin, originLine, shade: shadeOf.get(origin.date) ?? 0 });
  }
  return joined;
}

const numbered = /^(<span class="line" id="L\d+"><a href=")\?lines=\d+/;

/**
 * Returns the lines of a rendered source, each with a number that leads to the line on the same page. The beginning that
 * `numberLines` gives to lines is nowhere else.
 */
export function renderedLines(html: string): string[] {
  const lines = html === '' ? [] : html.split(/(?=<span class="line" id="L)/);
  return lines.map((line) => line.replace(numbered, '$1'));
}

/** Lines of one page. */
export const linesPerPage = 5_000;

/** Returns the first line of the page that a line is on. */
export function pageStart(line: number): number {
  return line - ((line - 1) % linesPerPage);
}
