import { expect, it } from 'vitest';
import { likelihoodOfOneOrigin } from './mann-whitney.ts';

const waves = Array.from({ length: 300 }, (_, index) => 10 + Math.sin(index * 1.7) + Math.sin(index * 0.37));

it('finds nothing between halves of the same', () => {
  const [even, odd] = [waves.filter((_, index) => index % 2 === 0), waves.filter((_, index) => index % 2 === 1)];
  expect(likelihoodOfOneOrigin(even, odd)).toBeGreaterThan(0.1);
  expect(likelihoodOfOneOrigin(waves, waves)).toBeCloseTo(1, 3);
});

it('finds a small shift', () => {
  const shifted = waves.map((value) => value + 0.4);
  expect(likelihoodOfOneOrigin(waves, shifted)).toBeLessThan(0.001);
});
