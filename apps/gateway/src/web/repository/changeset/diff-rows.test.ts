import { expect, it } from 'vitest';
import type { DiffHunk, DiffLine } from '../../render/diff/diff-file.ts';
import { pairLines, splitRows, unifiedRows } from './diff-rows.ts';

/** Returns the lines of a hunk that begins at line 5 before and line 7 after the change. */
function linesOf(...texts: readonly string[]): DiffLine[] {
  let [oldAt, newAt] = [4, 6];
  return texts.map((marked) => {
    const kind = ({ ' ': 'context', '-': 'removed', '+': 'added' } as const)[marked[0] ?? ''] ?? 'noNewline';
    if (kind === 'context' || kind === 'removed') oldAt += 1;
    if (kind === 'context' || kind === 'added') newAt += 1;
    const oldLine = kind === 'context' || kind === 'removed' ? oldAt : null;
    const newLine = kind === 'context' || kind === 'added' ? newAt : null;
    return { kind, oldLine, newLine, text: marked.slice(1), isCut: false };
  });
}

const hunkOf = (...texts: readonly string[]): DiffHunk => ({ header: '@@ <b> @@', lines: linesOf(...texts) });
const options = { fileId: 'file-3', coloured: new Map<DiffLine, string>() };

it.each([
  [
    [' a', '-b', '-c', '+d', ' e'],
    ['a|a', 'b|d', 'c|', 'e|e'],
  ],
  [
    ['+a', '+b'],
    ['|a', '|b'],
  ],
  [
    ['-a', '+b', '-c', '+d'],
    ['a|b', 'c|d'],
  ],
  [
    ['-a', '\\note', '+b', '\\note'],
    ['a|b', 'note|note'],
  ],
  [
    [' a', '\\note'],
    ['a|a', 'note|note'],
  ],
])('puts the lines %j side by side', (texts, expected) => {
  const pairs = pairLines(linesOf(...texts)).map(([before, after]) => `${before?.text ?? ''}|${after?.text ?? ''}`);
  expect(pairs).toEqual(expected);
});

const idsIn = (rows: Iterable<string>) =>
  [...rows].flatMap((row) => [...row.matchAll(/id="([^"]*)"/g)].map(([, id]) => id));

it.each([
  ['unified', unifiedRows],
  ['split', splitRows],
])('gives every line before and after the change an id of its own, and a link to it: %s', (_, rowsOf) => {
  const rows = [...rowsOf(hunkOf(' a', '-b', '+c'), options)];
  expect(new Set(idsIn(rows))).toEqual(new Set(['file-3-L5', 'file-3-R7', 'file-3-L6', 'file-3-R8']));
  expect(idsIn(rows)).toHaveLength(4);
  for (const id of idsIn(rows)) expect(rows.join('')).toContain(`id="${id}"><a href="#${id}">`);
});

it.each([
  ['unified', unifiedRows],
  ['split', splitRows],
])('escapes headers and lines, and takes the colours of lines that have some: %s', (_, rowsOf) => {
  const hunk = hunkOf('-<i>', '+let a');
  const [, added] = hunk.lines;
  const coloured = new Map(added ? [[added, '<span class="hljs-keyword">let</span> a']] : []);
  const html = [...rowsOf(hunk, { ...options, coloured })].join('');
  expect(html).toContain('@@ &lt;b&gt; @@');
  expect(html).toContain('&lt;i&gt;');
  expect(html).toContain('<span class="hljs-keyword">let</span> a');
  expect(html).not.toMatch(/<b>|<i>/);
});
