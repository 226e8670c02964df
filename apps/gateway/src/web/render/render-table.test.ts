import { describe, expect, it } from 'vitest';
import { parseRows, renderTable } from './render-table.ts';

describe('parseRows', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\n1,5;2\n',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'a\tb\n"x\ty"\t2\n',
      [
        ['a', 'b'],
        ['x\ty', '2'],
      ],
    ],
    ['"a ""b"", c",d\n', [['a "b", c', 'd']]],
    ['"two\nlines",x\n\ny\n', [['two\nlines', 'x'], [''], ['y']]],
    [',\n', [['', '']]],
    ['"open,x\ny', [['open,x\ny']]],
    ['"a"b,c\n', [['ab', 'c']]],
    ['', []],
  ])('reads %j', (text, rows) => {
    expect(parseRows(text)).toEqual({ rows, hasMore: false });
  });

  it('reads no more rows than are shown', () => {
    const { rows, hasMore } = parseRows('a,b\n'.repeat(1_001));
    expect([rows.length, hasMore]).toEqual([1_000, true]);
    expect(parseRows('a,b\n'.repeat(1_000)).hasMore).toBe(false);
  });
});

describe('renderTable', () => {
  it('has a head, numbered rows, and as many cells in each', () => {
    expect(renderTable('name,age\r\nAnn,7\r\nBob\r\n')).toBe(
      '<div class="scroll" tabindex="0" role="region" aria-label="Rows"><table class="values">' +
        '<thead><tr><th scope="row">1</th><th scope="col">name</th><th scope="col">age</th></tr></thead>' +
        '<tbody><tr><th scope="row">2</th><td>Ann</td><td>7</td></tr>\n' +
        '<tr><th scope="row">3</th><td>Bob</td><td></td></tr>\n</tbody></table></div>',
    );
  });

  it('shows HTML and invisible characters in cells as text', () => {
    const html = renderTable('<script>alert(1)</script>,"<img src=x\nonerror=""a"">"\n\u202e,&amp;\n') ?? '';
    expect(html).toContain('<th scope="col">&lt;script&gt;alert(1)&lt;/script&gt;</th>');
    expect(html).toContain('&lt;img src=x\u240aonerror=&quot;a&quot;&gt;');
    expect(html).toContain('<td>\\u{202E}</td><td>&amp;amp;</td>');
  });

  it('is bounded in rows, columns and characters of a cell, and says so', () => {
    const wide = renderTable(`${'x,'.repeat(150)}x\n`) ?? '';
    expect(wide).toContain('Only the first 100 of 151 columns are shown.');
    expect(wide.match(/<th scope="col">/g)).toHaveLength(100);
    expect(renderTable('a,b\n'.repeat(1_001))).toContain('Only the first 1000 rows are shown.');
    expect(renderTable('y'.repeat(501))).toContain(`>${'y'.repeat(500)}…<`);
    expect(renderTable(`${'"'.repeat(99)},`.repeat(40_000))).not.toBeNull();
    expect(renderTable(`${'&'.repeat(60)},`.repeat(100).concat('\n').repeat(1_000))).toBeNull();
  });

  it('is none for an empty file', () => {
    expect(renderTable('')).toBeNull();
  });
});
