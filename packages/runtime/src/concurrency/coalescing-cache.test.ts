import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { CoalescingCache } from './coalescing-cache.ts';

interface Value {
  readonly bytes: number;
}

it('returns the value of the key, keeps no more bytes than allowed, and reads a key once at a time', async () => {
  const request = fc.record({ key: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() });
  const sizes: Readonly<Record<string, number>> = { a: 10, b: 20, c: 40 };
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(request, { maxLength: 20 }), async (scheduler, requests) => {
      const cache = new CoalescingCache<Value>(45, ({ bytes }) => bytes);
      const reading = new Set<string>();
      const ask = async ({ key, fails }: { key: string; fails: boolean }) => {
        await scheduler.schedule(Promise.resolve());
        return cache.get([key], async () => {
          if (reading.has(key)) throw new Error('read twice at once');
          reading.add(key);
          await scheduler.schedule(Promise.resolve());
          reading.delete(key);
          if (fails) throw new Error('unreadable');
          return { bytes: sizes[key] ?? 0 };
        });
      };
      const ended = Promise.allSettled(requests.map(ask));
      await scheduler.waitAll();
      const wrong = (await ended).filter((outcome, index) => {
        const size = sizes[requests[index]?.key ?? ''];
        if (outcome.status === 'rejected') return !String(outcome.reason).endsWith('unreadable');
        return outcome.value.bytes !== size;
      });
      expect(wrong).toEqual([]);
      const missing = async () => ({ bytes: 1_000 });
      const found = await Promise.all(Object.keys(sizes).map((key) => cache.get([key], missing)));
      const cached = found.filter(({ bytes }) => bytes !== 1_000);
      expect(cached.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(45);
    }),
  );
});

it('does not cache a read that failed', async () => {
  const cache = new CoalescingCache<Value>(100, ({ bytes }) => bytes);
  await expect(cache.get(['a', 1], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cache.get(['a', 1], async () => ({ bytes: 1 }))).toEqual({ bytes: 1 });
  expect(await cache.get(['a', 1], async () => ({ bytes: 2 }))).toEqual({ bytes: 1 });
});

it('keeps a value no longer than `msMaxOf` allows', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const cache = new CoalescingCache<Value>(
    100,
    () => 1,
    ({ bytes }) => (bytes === 1 ? 60_000 : undefined),
  );
  const get = async (key: string, bytes: number) => (await cache.get([key], async () => ({ bytes }))).bytes;
  expect([await get('brief', 1), await get('long', 2)]).toEqual([1, 2]);
  now.mockReturnValue(61_001);
  expect([await get('brief', 3), await get('long', 3)]).toEqual([3, 2]);
  now.mockRestore();
});
