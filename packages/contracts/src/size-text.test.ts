import { expect, it } from 'vitest';
import { sizeText } from './size-text.ts';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [1_234_567, '1.2 MB'],
  [9_949, '9.9 kB'],
  [9_951, '10 kB'],
  [999_400, '999 kB'],
  [999_600, '1.0 MB'],
  [5e9, '5.0 GB'],
  [2e18, '2000 PB'],
])('shows %d bytes as %s', (bytes, shown) => {
  expect(sizeText(bytes)).toBe(shown);
});
