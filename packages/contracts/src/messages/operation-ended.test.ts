import { describe, expect, it } from 'vitest';
import { decodeOperationEnded, encodeOperationEnded } from './operation-ended.ts';

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
