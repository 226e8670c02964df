import { expect, it } from 'vitest';
import { mannWhitneyPValue } from './mann-whitney.ts';

const waves = Array.from({ length: 300 }, (_, index) => 10 + Math.sin(index * 1.7) + Math.sin(index * 0.37));

it('gives a high p-value for two halves of one sample', () => {
  const [even, odd] = [waves.filter((_, index) => index % 2 === 0), waves.filter((_, index) => index % 2 === 1)];
  expect(mannWhitneyPValue(even, odd)).toBeGreaterThan(0.1);
  expect(mannWhitneyPValue(waves, waves)).toBeCloseTo(1, 3);
});

it('gives a low p-value for a sample with a small shift', () => {
  const shifted = waves.map((value) => value + 0.4);
  expect(mannWhitneyPValue(waves, shifted)).toBeLessThan(0.001);
});
