import { expect, it } from 'vitest';
import { transferTime } from './send-answer.ts';

const hourMs = 3_600_000;

it('a push may be applied for as long as it may arrive', () => {
  expect(transferTime(hourMs, { isPush: false })).toBe(hourMs);
  expect(transferTime(hourMs, { isPush: true })).toBeGreaterThan(2 * hourMs + 60_000);
  // Timers of Node.js end at once beyond 31 bits.
  expect(transferTime(24 * hourMs, { isPush: true })).toBeLessThan(2 ** 31);
});
