import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { formatTable } from './format-table.ts';

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
