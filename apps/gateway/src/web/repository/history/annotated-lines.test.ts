import { describe, expect, it } from 'vitest';
import { numberLines } from '../../render/plain-text.ts';
import { linesPerPage, pageBlocks, pageStart, renderedLines, shades } from './annotated-lines.ts';

const originOf = (digit: number, date: string) => ({
  short_id: String(digit).repeat(12),
  raw_id: String(digit).repeat(40),
  message: 'x',
  author: 'Ann',
  date,
  path: 'a',
  before: null,
});

describe('renderedLines', () => {
  it('are the lines that a page numbers, each whole', () => {
    const html = numberLines(['a', '<span class="hljs-string">&lt;span class=&quot;line&quot; id=&quot;L9</span>', '']);
    const lines = renderedLines(html);
    expect(lines).toHaveLength(3);
    expect(lines.join('')).toBe(html.replaceAll(/\?lines=\d+/g, ''));
    expect(lines[1]).toMatch(/^<span class="line" id="L2"><a href="#L2">2<\/a>.*\n<\/span>$/);
    expect(renderedLines('')).toEqual([]);
  });
});

describe('pageBlocks', () => {
  const origins = [
    originOf(1, '2026-01-01T00:00:00'),
    originOf(2, '2026-03-01T00:00:00'),
    originOf(3, '2026-02-01T00:00:00'),
  ];

  it('are one block for neighbours of one origin', () => {
    const blocks = [
      { line: 1, lines: 2, origin: 0, origin_line: 1 },
      { line: 3, lines: 1, origin: 0, origin_line: 9 },
      { line: 4, lines: 1, origin: 1, origin_line: 2 },
    ];
    const found = pageBlocks({ origins, blocks });
    expect(found.map(({ line, lines, originLine }) => [line, lines, originLine])).toEqual([
      [1, 3, 1],
      [4, 1, 2],
    ]);
  });

  it('are darker the newer they are', () => {
    const blocks = origins.map((_, index) => ({ line: index + 1, lines: 1, origin: index, origin_line: 1 }));
    const [oldest = 0, newest = 0, between = 0] = pageBlocks({ origins, blocks }).map(({ shade }) => shade);
    expect(newest).toBe(0);
    expect(newest).toBeLessThan(between);
    expect(between).toBeLessThan(oldest);
    expect(oldest).toBeLessThan(shades);
  });
});

it.each([
  [1, 1],
  [linesPerPage, 1],
  [linesPerPage + 1, linesPerPage + 1],
])('line %i is on the page that begins with %i', (line, start) => {
  expect(pageStart(line)).toBe(start);
});
