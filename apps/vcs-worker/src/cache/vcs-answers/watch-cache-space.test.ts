import { expect, it, onTestFinished, vi } from 'vitest';
import { FileSpace } from './file-space.ts';
import { watchCacheSpace, type CacheSpaceOptions } from './watch-cache-space.ts';

const gigabyte = 2 ** 30;

async function watch(free: () => number, options: Partial<CacheSpaceOptions> = {}) {
  const space = new FileSpace(() => false);
  const statfs = async () => ({ bavail: free(), blocks: 1_000 * gigabyte, bsize: 1 });
  const common = { space, directory: '/', bytesMax: null, sparesFreeSpace: true, everyMs: 1, statfs };
  onTestFinished(await watchCacheSpace({ ...common, ...options }));
  return space;
}

it('is a twentieth of what is free, and 10 GB at most, unless a setting says otherwise', async () => {
  expect((await watch(() => 120 * gigabyte)).bytesMax).toBe(6 * gigabyte);
  expect((await watch(() => 900 * gigabyte)).bytesMax).toBe(10 * gigabyte);
  expect((await watch(() => 900 * gigabyte, { bytesMax: 5 })).bytesMax).toBe(5);
  expect((await watch(() => 900 * gigabyte, { bytesMax: 0 })).bytesMax).toBe(0);
});

it('gives bytes back while less than a tenth is free, and takes them again', async () => {
  let free = 900 * gigabyte;
  const space = await watch(() => free, { bytesMax: 8 * gigabyte });
  expect(space.shareOf(1).take(5 * gigabyte)).toBe(true);
  free = 98 * gigabyte;
  await vi.waitUntil(() => space.bytesMax === 3 * gigabyte, { timeout: 60_000 });
  free = 10 * gigabyte;
  await vi.waitUntil(() => space.bytesMax === 0, { timeout: 60_000 });
  free = 101 * gigabyte;
  await vi.waitUntil(() => space.bytesMax === 6 * gigabyte, { timeout: 60_000 });
});

it('spares no free space when it is told not to', async () => {
  expect((await watch(() => gigabyte, { bytesMax: 5, sparesFreeSpace: false })).bytesMax).toBe(5);
});

it('has no bytes where sizes are not reported', async () => {
  const statfs = () => Promise.reject(new Error('not reported'));
  expect((await watch(() => 0, { bytesMax: 5, statfs })).bytesMax).toBe(0);
});
