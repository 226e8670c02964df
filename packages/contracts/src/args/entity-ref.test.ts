import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { entityRef } from './entity-ref.ts';

const idMax = 2 ** 31 - 1;

describe('entityRef', () => {
  it.each([
    [0, '0'],
    [42, '42'],
    [idMax, '2147483647'],
    ['42', '42'],
    ['007', '007'],
    ['2147483647', '2147483647'],
  ])('B6 reads %j as an id', (value, sent) => {
    expect(v.parse(entityRef, value)).toEqual({ sent, id: Number(value), name: null });
  });

  it.each([
    [-1, '-1'],
    [idMax + 1, '2147483648'],
    [1e21, '1000000000000000000000'],
    ['2147483648', '2147483648'],
    ['9'.repeat(255), '9'.repeat(255)],
  ])('reads %j, an integer out of range, as neither an id nor a name', (value, sent) => {
    expect(v.parse(entityRef, value)).toEqual({ sent, id: null, name: null });
  });

  it.each(['docs', 'a/b', '-1', '1.0', '1e3', ' 1', '1 ', '0x10', '١٢', '', 'x'.repeat(255)])(
    'reads %j as a name',
    (value) => {
      expect(v.parse(entityRef, value)).toEqual({ sent: value, id: null, name: value });
    },
  );

  it('reads null as a reference without an id and a name', () => {
    expect(v.parse(entityRef, null)).toEqual({ sent: 'None', id: null, name: null });
  });

  it.each([[1.5], [true], [false], [[]], [[1]], [{}], [undefined]])('refuses %j', (value) => {
    expect(() => v.parse(entityRef, value)).toThrow('must be an id or a name');
  });

  it.each([
    ['x'.repeat(256), 'must be at most 255 characters'],
    ['1'.repeat(256), 'must be at most 255 characters'],
    ['a\0', 'must not contain NUL'],
    ['a\ud800', 'must be well-formed Unicode'],
  ])('refuses the text %j', (value, reason) => {
    expect(() => v.parse(entityRef, value)).toThrow(reason);
  });

  it('B6 reads any value as an id or a name, never both, or refuses it with a reason', () => {
    const digits = fc.stringMatching(/^[0-9]{1,12}$/);
    fc.assert(
      fc.property(fc.oneof(digits, fc.maxSafeInteger(), fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const { success, output, issues } = v.safeParse(entityRef, value);
        for (const { message } of issues ?? []) expect(message).toMatch(/^must /);
        if (!success) return;
        const { sent, id, name } = output;
        expect(typeof value === 'number' ? Number(sent) === value : sent === (value ?? 'None')).toBe(true);
        expect(id === null || (id === Number(sent) && name === null)).toBe(true);
        expect(name ?? value).toBe(value);
        expect(name === null || !/^[0-9]+$/.test(sent)).toBe(true);
      }),
    );
  });
});
