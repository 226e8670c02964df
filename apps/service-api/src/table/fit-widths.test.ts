import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitWidths } from './fit-widths.ts';

it.each([
  [[3, 10, 5], 80, [3, 10, 5]],
  [[3, 10, 5], 22, [3, 10, 5]],
  [[3, 40, 5], 30, [3, 18, 5]],
  [[30, 40, 5], 41, [16, 16, 5]],
  [[10, 10, 10, 10], 27, [10, 10]],
  [[10, 10, 10, 10], 28, [8, 8, 8]],
  [[2, 2, 2], 10, [2, 2, 2]],
  [[50], 20, [20]],
  [[50, 50], 1, [1]],
  [[1], 0, [1]],
])('makes of columns %j on %d characters %j', (natural, available, widths) => {
  expect(fitWidths(natural, available)).toEqual(widths);
});

it('never needs more than there is, and widens no column', () => {
  const columns = fc.array(fc.integer({ min: 1, max: 2_001 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(columns, fc.integer({ min: 1, max: 500 }), (natural, available) => {
      const widths = fitWidths(natural, available);
      expect(widths.reduce((sum, width) => sum + width + 2, -2)).toBeLessThanOrEqual(available);
      for (const [index, width] of widths.entries()) expect(width).toBeLessThanOrEqual(natural[index] ?? 0);
    }),
  );
});
