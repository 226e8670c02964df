import { expect, it, vi } from 'vitest';
import { createForeignHashes } from './foreign-hashes.ts';

it('asks once a minute, for all who ask at the same time', async () => {
  const clock = { now: vi.fn(() => 0), sleep: async () => {} };
  const read = vi.fn(async () => true);
  const hasForeign = createForeignHashes(clock, read);
  expect(await Promise.all([hasForeign(), hasForeign()])).toEqual([true, true]);
  expect(read).toHaveBeenCalledTimes(1);
  read.mockResolvedValue(false);
  clock.now.mockReturnValue(59_000);
  expect(await hasForeign()).toBe(true);
  clock.now.mockReturnValue(61_000);
  expect(await hasForeign()).toBe(false);
});
