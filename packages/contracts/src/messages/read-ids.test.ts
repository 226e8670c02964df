import { expect, it } from 'vitest';
import { decodeReadIds, encodeReadIds, readIdsMax } from './read-ids.ts';

const id = '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c';

it('brings ids to the other end', () => {
  expect(decodeReadIds(encodeReadIds([id, id]))).toEqual([id, id]);
});

it.each([
  ['nothing', ''],
  ['noise', '\u0000['],
  ['an object', '{}'],
  ['an id that is none', '["x"]'],
  ['too many ids', JSON.stringify(Array.from({ length: readIdsMax + 1 }, () => id))],
])('E2 finds no ids in %s', (_what, text) => {
  expect(decodeReadIds(new TextEncoder().encode(text))).toEqual([]);
});
