import { expect, it } from 'vitest';
import { inOrder, interpolate, requiredVariables } from './compose-file.ts';

it('puts in values and defaults, and refuses what is missing', () => {
  const text = 'a: ${A} ${B:-none} ${C:?see here}';
  expect(interpolate(text, { A: '1', C: '3' })).toBe('a: 1 none 3');
  expect(interpolate(text, { A: '1', B: '2', C: '3' })).toBe('a: 1 2 3');
  expect(() => interpolate(text, { A: '1' })).toThrow('needs C');
  expect([...requiredVariables(text)]).toEqual(['A', 'C']);
});

it('orders services by what they depend on', () => {
  const image = 'x';
  const services = { a: { image, depends_on: ['b'] }, b: { image, depends_on: { c: {} } }, c: { image } };
  expect(inOrder({ services })).toEqual(['c', 'b', 'a']);
});
