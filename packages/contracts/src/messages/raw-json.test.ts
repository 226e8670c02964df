import { expect, it } from 'vitest';
import { encodeJson, rawJson } from './raw-json.ts';

it('encodes a value with texts in it as the value that they stand for', () => {
  const [map, list] = [{ 'a "b"': 'c\\d', ü: '\u0001' }, [1, null, '"']];
  const value = { before: 'x', map, inside: [{ list }, 'y'], after: null };
  const raw = {
    ...value,
    map: rawJson(JSON.stringify(map)),
    inside: [{ list: rawJson(JSON.stringify(list)) }, 'y'],
  };
  expect(encodeJson(raw)).toBe(JSON.stringify(value));
  // A failed encoding leaves nothing behind for the next one.
  const failing = {
    toJSON() {
      throw new Error('no JSON');
    },
  };
  expect(() => encodeJson([rawJson('1'), failing])).toThrow('no JSON');
  expect(encodeJson({ a: 1 })).toBe('{"a":1}');
});

it('encodes a lone text, and nothing as null', () => {
  expect(encodeJson(rawJson('{}'))).toBe('{}');
  expect(encodeJson(undefined)).toBe('null');
});
