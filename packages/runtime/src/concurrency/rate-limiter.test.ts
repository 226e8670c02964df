import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

it('accepts no more than burst and rate allow in any time window, and refuses no key that keeps to them', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 60 });
  const settings = fc.record({ intervalMs: fc.integer({ min: 1, max: 200 }), burst: fc.integer({ min: 1, max: 10 }) });
  fc.assert(
    fc.property(settings, gaps, ({ intervalMs, burst }, waits) => {
      let now = 0;
      const limiter = new RateLimiter({ intervalMs, burst, keysMax: 10, now: () => now });
      const accepted: number[] = [];
      for (const gap of waits) {
        now += gap;
        const waitMs = limiter.take('key');
        if (waitMs <= 0) accepted.push(now);
        expect(waitMs > 0 && limiter.waitMs('key') !== waitMs).toBe(false);
      }
      for (const [first, from] of accepted.entries()) {
        for (const [last, to] of accepted.entries()) {
          if (last < first) continue;
          expect(last - first + 1).toBeLessThanOrEqual(burst + Math.floor((to - from) / intervalMs));
        }
      }
      now += intervalMs;
      expect(limiter.take('key')).toBe(0);
    }),
  );
});

it('limits each key separately, and accepts a key again after a refund', () => {
  const limiter = new RateLimiter({ intervalMs: 100, burst: 1, keysMax: 2, now: () => 0 });
  expect(limiter.take('a')).toBe(0);
  expect(limiter.take('a')).toBe(100);
  expect(limiter.take('b')).toBe(0);
  limiter.charge('a', -1);
  expect(limiter.take('a')).toBe(0);
});
