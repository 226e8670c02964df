import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import stringWidth from 'string-width';
import { fitWidths, formatTable, visibleText } from './table.ts';

it.each([
  ['Grüße 你好 🙂 "a" \\', 'Grüße 你好 🙂 "a" \\'],
  ['a\nb\r\tc', String.raw`a\nb\r\tc`],
  ['\u001b[2J\u0007\u009b31m\u007f\0', String.raw`\u001b[2J\u0007\u009b31m\u007f\u0000`],
  ['\u202egnp.exe\u2066\u2028\u2029\u200b\ufeff\u00ad', String.raw`\u202egnp.exe\u2066\u2028\u2029\u200b\ufeff\u00ad`],
  ['\ud800x', String.raw`\ud800x`],
  ['\u{e0041}', String.raw`\udb40\udc41`],
])('shows %j as %s', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it('returns nothing on which a terminal acts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

it.each([
  [[3, 10, 5], 80, [3, 10, 5]],
  [[3, 10, 5], 22, [3, 10, 5]],
  [[3, 40, 5], 30, [3, 18, 5]],
  [[30, 40, 5], 41, [16, 16, 5]],
  [[10, 10, 10, 10], 27, [10, 10]],
  [[10, 10, 10, 10], 28, [8, 8, 8]],
  [[2, 2, 2], 10, [2, 2, 2]],
  [[50], 20, [20]],
  [[50, 50], 1, [1]],
  [[1], 0, [1]],
])('makes of columns %j on %d characters %j', (natural, available, widths) => {
  expect(fitWidths(natural, available)).toEqual(widths);
});

it('never needs more than there is, and widens no column', () => {
  const columns = fc.array(fc.integer({ min: 1, max: 2_001 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(columns, fc.integer({ min: 1, max: 500 }), (natural, available) => {
      const widths = fitWidths(natural, available);
      expect(widths.reduce((sum, width) => sum + width + 2, -2)).toBeLessThanOrEqual(available);
      for (const [index, width] of widths.entries()) expect(width).toBeLessThanOrEqual(natural[index] ?? 0);
    }),
  );
});

const linesOf = (result: unknown, columns: number) => formatTable(result, columns).text.split('\n');

describe('formatTable', () => {
  it('lists records below the names of all their members, in the order of the service', () => {
    const list = [
      { repo_id: 7, repo_name: 'group/first', private: false, fork_of: null },
      { repo_id: 12, repo_name: '你好', extra: ['a', { b: 1 }] },
    ];
    expect(linesOf(list, 80)).toEqual([
      'repo_id  repo_name    private  fork_of  extra',
      '-------  -----------  -------  -------  -------------',
      '7        group/first  false    null',
      '12       你好                           ["a",{"b":1}]',
      '',
    ]);
    expect(formatTable(list, 80)).toMatchObject({ isCut: false, leftOut: [] });
  });

  it('cuts long values, and leaves out the columns that do not fit', () => {
    const list = [{ id: 1, description: 'a long description\nof two lines', owner: 'somebody', group: 'x'.repeat(30) }];
    expect(linesOf(list, 30)).toEqual([
      'id  description       owner',
      '--  ----------------  --------',
      String.raw`1   a long descript…  somebody`,
      '',
    ]);
    expect(formatTable(list, 30)).toMatchObject({ isCut: true, leftOut: ['group'] });
  });

  it('shows a record with a line for each member', () => {
    const record = { username: 'ann', emails: ['a@b.example'], last_login: null, permissions: { global: [] } };
    expect(linesOf(record, 40)).toEqual([
      'username     ann',
      'emails       ["a@b.example"]',
      'last_login   null',
      'permissions  {"global":[]}',
      '',
    ]);
    expect(formatTable({ text: 'x'.repeat(50) }, 20)).toMatchObject({ isCut: true, leftOut: [] });
  });

  it.each([
    ['Pulled from `a`', 'Pulled from `a`\n'],
    [null, 'null\n'],
    [12.5, '12.5\n'],
    [true, 'true\n'],
    ['', '\n'],
    [[], '[]\n'],
    [{}, '{}\n'],
    [['a', 1, null], 'a\n1\nnull\n'],
    [[{ a: 1 }, 'b'], '{"a":1}\nb\n'],
    [JSON.parse('[{"__proto__":1}]'), '__proto__\n---------\n1\n'],
    [[{ a: 1 }, { toString: 2 }], 'a  toString\n-  --------\n1\n   2\n'],
  ])('shows %j', (result, text) => {
    expect(formatTable(result, 80).text).toBe(text);
  });

  it('has no line wider than the terminal, and nothing on which a terminal acts', () => {
    const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.jsonValue({ maxDepth: 2 }));
    const list = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), value, { minKeys: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.oneof(list, value), fc.integer({ min: 1, max: 60 }), (result, columns) => {
        const { text } = formatTable(result, columns);
        expect(text).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?!\n)\p{Cc}/u);
        for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('shows a value of megabytes in one line of the terminal', () => {
    const { text, isCut } = formatTable({ text: '你'.repeat(4_000_000) }, 80);
    expect({ isCut, isShort: text.length < 80 }).toEqual({ isCut: true, isShort: true });
  });
});
