import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { toTimestamp } from '../records/parts.ts';
import { dateBound, emailAddress, entityRef, entityRefs, flag, revision, text, wholeNumber } from './schemas.ts';

describe('text', () => {
  it.each(['', 'abc', 'a\nb', '日本', '\u{1f600}a', '\u0001'])('keeps %j as it is', (value) => {
    expect(v.parse(text(3), value)).toBe(value);
  });

  it.each([
    ['abcd', 'must be at most 3 characters'],
    ['\u{1f600}\u{1f600}', 'must be at most 3 characters'],
    ['a\0b', 'must not contain NUL'],
    ['\ud83d', 'must be well-formed Unicode'],
    ['\ude00\ud83d', 'must be well-formed Unicode'],
    [1, 'must be a string'],
    [null, 'must be a string'],
    [true, 'must be a string'],
    [['a'], 'must be a string'],
    [{}, 'must be a string'],
  ])('refuses %j', (value, reason) => {
    expect(() => v.parse(text(3), value)).toThrow(reason);
  });

  it('accepts a string exactly when it is well-formed, short enough and without NUL', () => {
    const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0x61, 0xd83d, 0xde00)));
    fc.assert(
      fc.property(units, (codes) => {
        const value = String.fromCharCode(...codes);
        const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);
        expect(v.is(text(5), value)).toBe(value.length <= 5 && !value.includes('\0') && !loneSurrogate);
      }),
    );
  });
});

describe('wholeNumber', () => {
  it.each([
    [0, 0],
    [-1, -1],
    [100, 100],
    ['7', 7],
    ['-1', -1],
    ['007', 7],
  ])('reads %j as %j', (value, read) => {
    expect(v.parse(wholeNumber(-1, 100), value)).toBe(read);
  });

  it.each([[-2], [101], ['101'], [1.5], ['1.5'], [''], [' 1'], ['1e1'], ['9'.repeat(30)], [true], [null], [[]], [{}]])(
    'refuses %j',
    (value) => {
      expect(() => v.parse(wholeNumber(-1, 100), value)).toThrow('must be a whole number from -1 to 100');
    },
  );

  it('accepts exactly the integers in its range, as numbers or as digits', () => {
    const likely = fc.oneof(fc.integer({ min: -20, max: 120 }), fc.stringMatching(/^[-+ ]?[0-9]{1,3}(\.0|e1|n)?$/));
    fc.assert(
      fc.property(fc.oneof(likely, fc.jsonValue()), (value) => {
        const number = v.safeParse(wholeNumber(-1, 100), value);
        const written = typeof value === 'number' || (typeof value === 'string' && /^-?[0-9]+$/.test(value));
        const inRange = written && Number.isInteger(Number(value)) && Number(value) >= -1 && Number(value) <= 100;
        expect(number.success).toBe(inRange);
        expect(number.output).toEqual(inRange ? Number(value) : number.output);
      }),
    );
  });
});

const trueWords = ['true', 't', 'yes', 'y', 'on', '1'];
const falseWords = ['false', 'f', 'no', 'n', 'off', '0'];
const inAllForms = (words: readonly string[]) =>
  words.flatMap((word) => [word, word.toUpperCase(), ` ${word}\t`]).map((word): [string] => [word]);

describe('flag', () => {
  it.each<[string | boolean | number]>([[true], [1], ...inAllForms(trueWords)])('reads %j as true', (value) => {
    expect(v.parse(flag, value)).toBe(true);
  });

  it.each<[string | boolean | number]>([[false], [0], ...inAllForms(falseWords)])('reads %j as false', (value) => {
    expect(v.parse(flag, value)).toBe(false);
  });

  it.each([[''], [' '], ['2'], ['tru'], ['none'], ['constructor'], [2], [-1], [0.5], [null], [[]], [[true]], [{}]])(
    'refuses %j',
    (value) => {
      expect(() => v.parse(flag, value)).toThrow('must be a boolean');
    },
  );

  it('refuses every value except a boolean, 0, 1 and the known words', () => {
    const knownWords = new Set([...trueWords, ...falseWords]);
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 5 }), fc.jsonValue()), (value) => {
        const isKnownWord = typeof value === 'string' && knownWords.has(value.trim().toLowerCase());
        expect(v.is(flag, value)).toBe(isKnownWord || typeof value === 'boolean' || value === 0 || value === 1);
      }),
    );
  });
});

describe('revision', () => {
  it.each([[''], ['tip'], ['a'.repeat(1_000)], ['--config=x'], [0], [-1], [12345678901], [null]])(
    'passes %j on to the back end',
    (value) => {
      expect(v.parse(revision, value)).toBe(value);
    },
  );

  it.each([
    [1.5, 'must be a string or an integer'],
    [true, 'must be a string or an integer'],
    [['tip'], 'must be a string or an integer'],
    [{}, 'must be a string or an integer'],
    ['a'.repeat(1_001), 'must be at most 1000 characters'],
    ['tip\0', 'must not contain NUL'],
    ['\udc00', 'must be well-formed Unicode'],
  ])('refuses %j', (value, reason) => {
    expect(() => v.parse(revision, value)).toThrow(reason);
  });
});

describe('dateBound', () => {
  it.each([
    ['2016-05-16', '2016-05-16T00:00:00.000Z', '2016-05-16T23:59:59.999Z'],
    ['2016-05-16T14:00:01', '2016-05-16T14:00:01.000Z', '2016-05-16T14:00:01.000Z'],
    ['2016-05-16T14:00:00.520', '2016-05-16T14:00:00.520Z', '2016-05-16T14:00:00.520Z'],
    ['2016-02-29', '2016-02-29T00:00:00.000Z', '2016-02-29T23:59:59.999Z'],
  ])('%j as a start is %s, as an end %s', (sent, start, end) => {
    expect(v.parse(dateBound('start'), sent).toISOString()).toBe(start);
    expect(v.parse(dateBound('end'), sent).toISOString()).toBe(end);
  });

  it.each(['', '2016', '2016-13-01', '2015-02-29', '2016-05-16T24:00:00', '2016-05-16T14:00:00Z', '16.5.2016', 0, {}])(
    'refuses %j',
    (sent) => expect(() => v.parse(dateBound('start'), sent)).toThrow('must be a date (2016-05-16) or a time stamp'),
  );

  it('parses a time stamp of a record to the date it was made from', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
    fc.assert(
      fc.property(dates, (date) => {
        expect(v.parse(dateBound('end'), toTimestamp(date))).toEqual(date);
      }),
    );
  });
});

describe('emailAddress', () => {
  it.each([
    ['A.User@Example.COM', 'a.user@example.com'],
    [' a@b ', 'a@b'],
    ['ü@bücher.example', 'ü@bücher.example'],
  ])('parses %j into the text as sent and the address as stored', (sent, address) => {
    expect(v.parse(emailAddress, sent)).toEqual({ sent, address });
  });

  it.each(['', 'a', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b\nc@d'])('refuses %j', (value) => {
    expect(() => v.parse(emailAddress, value)).toThrow('must be an e-mail address');
  });

  it('refuses an address that is too long, and a value that is not a string', () => {
    expect(() => v.parse(emailAddress, `${'a'.repeat(255)}@b`)).toThrow('must be at most 254 characters');
    expect(() => v.parse(emailAddress, 7)).toThrow('must be a string');
  });
});

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

const parseRefs = (value: unknown) => v.safeParse(entityRefs(3), value, { abortEarly: true });
const refusalOfRefs = (value: unknown) => parseRefs(value).issues?.[0].message;
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
    expect(parseRefs(value).output).toEqual(refs);
  });

  it.each([[[]], [''], [' , '], ['a,,b'], [['a', '']], [['a', 'b', 'c', 'd']], ['a,b,c,d'], [true], [{ a: 1 }]])(
    'refuses %j',
    (value) => {
      expect(refusalOfRefs(value)).toBe('must name 1 to 3 objects');
    },
  );

  it('refuses what is no reference, with its reason', () => {
    expect(refusalOfRefs([{}])).toBe('must be an id or a name');
    expect(refusalOfRefs(['a\0'])).toBe('must not contain NUL');
    expect(refusalOfRefs(['x'.repeat(256)])).toBe('must be at most 255 characters');
  });
});
