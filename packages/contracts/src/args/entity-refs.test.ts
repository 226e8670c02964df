import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { entityRefs } from './entity-refs.ts';

const parse = (value: unknown) => v.safeParse(entityRefs(3), value, { abortEarly: true });
const refusal = (value: unknown) => parse(value).issues?.[0].message;
const named = (name: string) => ({ sent: name, id: null, name });

describe('entityRefs', () => {
  it.each([
    [
      ['a/b', 7, '8'],
      [named('a/b'), { sent: '7', id: 7, name: null }, { sent: '8', id: 8, name: null }],
    ],
    ['a/b, c,8', [named('a/b'), named('c'), { sent: '8', id: 8, name: null }]],
    ['a', [named('a')]],
    [7, [{ sent: '7', id: 7, name: null }]],
  ])('reads %j', (value, refs) => {
    expect(parse(value).output).toEqual(refs);
  });

  it.each([[[]], [''], [' , '], ['a,,b'], [['a', '']], [['a', 'b', 'c', 'd']], ['a,b,c,d'], [true], [{ a: 1 }]])(
    'refuses %j',
    (value) => {
      expect(refusal(value)).toBe('must name 1 to 3 objects');
    },
  );

  it('refuses what is no reference, with its reason', () => {
    expect(refusal([{}])).toBe('must be an id or a name');
    expect(refusal(['a\0'])).toBe('must not contain NUL');
    expect(refusal(['x'.repeat(256)])).toBe('must be at most 255 characters');
  });
});
