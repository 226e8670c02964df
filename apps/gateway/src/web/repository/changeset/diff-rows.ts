import { changedParts } from '../../render/diff/changed-parts.ts';
import type { DiffHunk, DiffLine } from '../../render/diff/diff-file.ts';
import { lineHtml } from '../../render/diff/line-html.ts';
import { escapeHtml } from '../../render/plain-text.ts';
import { shownText } from '../../render/shown-text.ts';

export interface RowOptions {
  /** The id of the file's panel, with which those of its lines begin. */
  readonly fileId: string;
  /** Lines as HTML in the colours of their language. */
  readonly coloured: ReadonlyMap<DiffLine, string>;
}

const classes = {
  context: 'diff-context',
  added: 'diff-added',
  removed: 'diff-removed',
  noNewline: 'diff-note',
} as const;

/** Returns the cell with the number of a line before (`L`) or after (`R`) the change, which the address may name. */
function numberCell(fileId: string, side: 'L' | 'R', number: number | null, mark = ''): string {
  if (number === null) return `<td class="at${mark}"></td>`;
  const id = `${fileId}-${side}${number}`;
  return `<td class="at${mark}" id="${id}"><a href="#${id}">${number}</a></td>`;
}

/** Yields a hunk as rows of a table: both line numbers, and the line. */
export function* unifiedRows({ header, lines }: DiffHunk, { fileId, coloured }: RowOptions): Generator<string> {
  yield `<tr class="diff-hunk"><td class="at" colspan="2"></td><td class="line">${escapeHtml(shownText(header))}</td></tr>`;
  const marks = changedParts(lines);
  for (const line of lines) {
    const numbers = numberCell(fileId, 'L', line.oldLine) + numberCell(fileId, 'R', line.newLine);
    const html = lineHtml(line, coloured.get(line), marks.get(line));
    yield `<tr class="${classes[line.kind]}">${numbers}<td class="line">${html}</td></tr>`;
  }
}

type Pair = readonly [before: DiffLine | undefined, after: DiffLine | undefined];

/**
 * Returns lines in pairs, side by side: within each block of changes the first removed line stands beside the first added
 * one. A note about the end of a file stands below the line that it is about.
 */
export function pairLines(lines: readonly DiffLine[]): Pair[] {
  const pairs: Pair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  let kind: DiffLine['kind'] = 'context';
  const endBlock = () => {
    const length = Math.max(removed.length, added.length);
    for (let at = 0; at < length; at += 1) pairs.push([removed[at], added[at]]);
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    const before = kind;
    if (line.kind !== 'noNewline') kind = line.kind;
    if (kind === 'context' || (kind === 'removed' && before === 'added')) endBlock();
    if (kind === 'context') pairs.push([line, line]);
    else (kind === 'removed' ? removed : added).push(line);
  }
  endBlock();
  return pairs;
}

/** Yields a hunk as rows of a table with four columns: number and line before the change, and after it. */
export function* splitRows({ header, lines }: DiffHunk, { fileId, coloured }: RowOptions): Generator<string> {
  yield `<tr class="diff-hunk"><td class="line" colspan="4">${escapeHtml(shownText(header))}</td></tr>`;
  const marks = changedParts(lines);
  const cells = (line: DiffLine | undefined, side: 'L' | 'R') => {
    if (!line) return '<td class="at diff-none"></td><td class="line diff-none"></td>';
    const mark = ` ${classes[line.kind]}`;
    const number = numberCell(fileId, side, side === 'L' ? line.oldLine : line.newLine, mark);
    return `${number}<td class="line${mark}">${lineHtml(line, coloured.get(line), marks.get(line))}</td>`;
  };
  for (const [before, after] of pairLines(lines)) yield `<tr>${cells(before, 'L')}${cells(after, 'R')}</tr>`;
}
