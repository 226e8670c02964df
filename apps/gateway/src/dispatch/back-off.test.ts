import { describe, expect, it } from 'vitest';
import { busyWaitMs } from './back-off.ts';

describe('busyWaitMs', () => {
  it.each([
    [0, 10, 20],
    [1, 20, 40],
    [4, 160, 320],
    [1_000, 160, 320],
  ])('waits after answer %i between %i and %i ms, not always the same', (attempt, min, max) => {
    const waits = Array.from({ length: 100 }, () => busyWaitMs(attempt));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(min);
    expect(Math.max(...waits)).toBeLessThanOrEqual(max);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });
});
