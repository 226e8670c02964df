import { describe, expect, it } from 'vitest';
import { numberLines, shownLinesMax } from '../../render/plain-text.ts';
import { markLines, parseLineRange, queryOf } from './marked-lines.ts';

const html = numberLines(['a', 'b', 'c', '<span class="hljs-comment">d</span>']);

function markedIn(text: string): string[] {
  return [...text.matchAll(/class="line marked" id="L(\d+)"/g)].map(([, number = '']) => number);
}

function linksIn(text: string): string[] {
  return [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
}

it.each([
  ['2', 2, 2],
  ['2-3', 2, 3],
  ['3-2', 2, 3],
  [`${shownLinesMax}-999999`, shownLinesMax, 999_999],
])('reads lines=%s as those from %d to %d', (value, first, last) => {
  expect(parseLineRange(value)).toEqual({ first, last });
});

it.each([null, '', '0', '0-3', '-3', '2-', '2-3-4', 'L2', '1.5', '١', ' 2', '1234567', `${shownLinesMax + 1}`])(
  'reads lines=%s as no lines',
  (value) => {
    expect(parseLineRange(value)).toBeNull();
  },
);

it('names a range, and its first line as the one to go to', () => {
  expect(queryOf({ first: 2, last: 3 })).toBe('?lines=2-3#L2');
  expect(queryOf({ first: 2, last: 2 })).toBe('?lines=2#L2');
});

describe('markLines', () => {
  it('marks the lines of a range, as far as they are there', () => {
    expect(markedIn(markLines(html, { first: 2, last: 3 }))).toEqual(['2', '3']);
    expect(markedIn(markLines(html, { first: 3, last: 90 }))).toEqual(['3', '4']);
    expect(markLines(html, { first: 5, last: 9 })).toBe(html);
  });

  it('leads from one marked line to ranges that begin or end there', () => {
    expect(linksIn(markLines(html, { first: 2, last: 2 }))).toEqual([
      '?lines=1-2#L1',
      '?lines=2#L2',
      '?lines=2-3#L2',
      '?lines=2-4#L2',
    ]);
  });

  it('leads from a range to single lines again', () => {
    const numbers = ['?lines=1#L1', '?lines=2#L2', '?lines=3#L3', '?lines=4#L4'];
    expect(linksIn(markLines(html, { first: 2, last: 3 }))).toEqual(numbers);
  });

  it('changes nothing that a file has in its text', () => {
    const hostile = numberLines(['&lt;span class=&quot;line&quot; id=&quot;L2&quot;&gt;', 'x']);
    expect(markedIn(markLines(hostile, { first: 2, last: 2 }))).toEqual(['2']);
  });
});
