import { expect, it } from 'vitest';
import { parseRange } from './read-range.ts';

it.each([
  ['tip', null],
  ['v1.0..x', { from: 'v1.0', to: 'x' }],
  ['v1.0...v2.0', { from: 'v1.0', to: 'v2.0' }],
  ['feature/x..v2.0', { from: 'feature/x', to: 'v2.0' }],
  ['a..', null],
  ['..b', null],
  ['a..b..c', null],
  ['a...b', { from: 'a', to: 'b' }],
  ['feature/x...tip', { from: 'feature/x', to: 'tip' }],
  ['a...', { from: 'a', to: '' }],
  ['...b', { from: '', to: 'b' }],
])('parses %s as the range %j', (revision, range) => {
  expect(parseRange(revision)).toEqual(range);
});

it('refuses more than two revisions', () => {
  expect(() => parseRange('a...b...c')).toThrow('Unknown revision a...b...c');
});
