import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeHtml } from '../plain-text.ts';
import { shownLines } from '../shown-text.ts';
import { highlightLines } from '../highlight-lines.ts';
import type { DiffLine } from './diff-file.ts';
import { lineHtml } from './line-html.ts';

const line = (text: string, kind: DiffLine['kind'] = 'context'): DiffLine => ({
  ...{ kind, oldLine: 1, newLine: 1, text, isCut: false },
});

it.each<[string, [number, number], string]>([
  ['line 15', [5, 7], 'line <mark>15</mark>'],
  ['a<b>c', [1, 4], 'a<mark>&lt;b&gt;</mark>c'],
  ['a\u202Eb', [1, 2], 'a<mark>\\u{202E}</mark>b'],
  ['\u202Eab', [2, 3], '\\u{202E}a<mark>b</mark>'],
  ['all', [0, 3], '<mark>all</mark>'],
  ['none', [2, 2], 'none'],
])('of %j with %j marked returns %s', (text, [start, end], html) => {
  expect(lineHtml(line(text), undefined, { start, end })).toBe(html);
});

it('marks a part across the elements of colours, each of which stays whole', () => {
  const coloured = '<span class="k">let</span> a = <span class="s">&quot;b&quot;</span>;';
  expect(lineHtml(line('let a = "b";'), coloured, { start: 1, end: 10 })).toBe(
    '<span class="k">l<mark>et</mark></span><mark> a = </mark><span class="s"><mark>&quot;b</mark>&quot;</span>;',
  );
});

it('makes tabs, and spaces at the end, of changed lines visible', () => {
  const html =
    '<span class="tab-marks">\t</span>x<span class="tab-marks">\t\t</span>y<span class="trailing-space"> \t</span>';
  expect(lineHtml(line('\tx\t\ty \t', 'added'))).toBe(html);
  expect(lineHtml(line('\tx ', 'context'))).toBe('\tx ');
  const coloured = '<span class="hljs-comment"># x  </span>';
  expect(lineHtml(line('# x  ', 'removed'), coloured)).toBe(
    '<span class="hljs-comment"># x<span class="trailing-space">  </span></span>',
  );
});

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll('&#x27;', '&#39;');

it('keeps the text of hostile lines, and the order of elements, whatever is marked', () => {
  const hostile = fc.array(fc.constantFrom(...Array.from('<>&"\'/* \t\u202E\u0001😀`'), '</script>', 'const ', '"x"'));
  fc.assert(
    fc.property(hostile, fc.nat(20), fc.nat(20), fc.boolean(), (parts, one, other, isColoured) => {
      const text = parts.join('');
      const [start, end] = [one, other].map((offset) => Math.min(offset, text.length)).toSorted((a, b) => a - b);
      const coloured = isColoured ? (highlightLines(shownLines(text), 'javascript')[0] ?? '') : undefined;
      const html = lineHtml(line(text, 'added'), coloured, { start: start ?? 0, end: end ?? 0 });
      expect(textOf(html)).toBe(escapeHtml(shownLines(text)));
      const open: string[] = [];
      const closed: (string | undefined)[] = [];
      const expected: string[] = [];
      for (const [, closing, name = ''] of html.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
        if (closing === '') open.push(name);
        else {
          closed.push(open.pop());
          expected.push(name);
        }
      }
      expect(closed).toEqual(expected);
      expect(open).toEqual([]);
    }),
  );
});
