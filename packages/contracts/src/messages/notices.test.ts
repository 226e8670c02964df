import { describe, expect, it } from 'vitest';
import {
  decodeCallersChanged,
  decodeOperationEnded,
  decodeReadIds,
  encodeCallersChanged,
  encodeOperationEnded,
  encodeReadIds,
  readIdsMax,
} from './notices.ts';

it.each([1, 2 ** 31 - 1, null])('decodes the encoding of %j', (userId) => {
  expect(decodeCallersChanged(encodeCallersChanged(userId))).toBe(userId);
});

it.each(['-1', '1.5', '1e3', ' 1', '{}', '9'.repeat(30), 'x'])('takes %j for a change of any user', (text) => {
  expect(decodeCallersChanged(new TextEncoder().encode(text))).toBeNull();
});

const ended = { operationId: '5c9f8a52-7a52-4d6f-9a0a-0b1b2d3f4a5c', repositoryId: 7, sourceRepositoryId: null };

describe('decodeOperationEnded', () => {
  it.each([ended, { ...ended, sourceRepositoryId: 3 }])('decodes the encoding of %j', (one) => {
    expect(decodeOperationEnded(encodeOperationEnded(one))).toEqual(one);
  });

  it.each([
    '',
    'null',
    '[]',
    '{"operationId":"x"}',
    '{"operationId":1,"repositoryId":1,"sourceRepositoryId":null}',
    '{',
  ])('returns null for %j', (text) => {
    expect(decodeOperationEnded(new TextEncoder().encode(text))).toBeNull();
  });
});

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
