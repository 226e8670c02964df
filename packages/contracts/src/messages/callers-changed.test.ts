import { expect, it } from 'vitest';
import { decodeCallersChanged, encodeCallersChanged } from './callers-changed.ts';

it.each([1, 2 ** 31 - 1, null])('decodes the encoding of %j', (userId) => {
  expect(decodeCallersChanged(encodeCallersChanged(userId))).toBe(userId);
});

it.each(['-1', '1.5', '1e3', ' 1', '{}', '9'.repeat(30), 'x'])('takes %j for a change of any user', (text) => {
  expect(decodeCallersChanged(new TextEncoder().encode(text))).toBeNull();
});
