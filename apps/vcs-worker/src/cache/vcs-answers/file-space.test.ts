import { expect, it, onTestFinished, vi } from 'vitest';
import { type CacheSpaceOptions, type FileShare, FileSpace, watchCacheSpace } from './file-space.ts';

it('gives bytes up to its limit, and none before it has one', () => {
  const space = new FileSpace(() => false);
  const [one, two, three] = [space.shareOf(1), space.shareOf(2), space.shareOf(3)];
  expect(one.take(1)).toBe(false);
  space.resize(10);
  expect([one.take(6), two.take(5), three.take(4)]).toEqual([true, false, true]);
  one.release(6);
  expect(space.bytes).toBe(4);
  expect(two.take(6)).toBe(true);
});

it('removes what is kept for what is asked for, and when the limit becomes smaller', () => {
  const kept: { share: FileShare; bytes: number }[] = [];
  const space = new FileSpace(() => {
    const oldest = kept.shift();
    oldest?.share.release(oldest.bytes);
    return oldest !== undefined;
  });
  space.resize(10);
  for (const bytes of [3, 4]) {
    const share = space.shareOf(bytes);
    expect(share.take(bytes)).toBe(true);
    kept.push({ share, bytes });
  }
  expect(space.shareOf(1).take(5)).toBe(true);
  expect(kept).toMatchObject([{ bytes: 4 }]);
  space.resize(6);
  expect(kept).toEqual([]);
  expect(space.bytes).toBe(5);
});

it('keeps the bytes of files that are in use beyond a smaller limit', () => {
  const space = new FileSpace(() => false);
  space.resize(10);
  expect(space.shareOf(1).take(8)).toBe(true);
  space.resize(4);
  expect(space.bytes).toBe(8);
  expect(space.shareOf(2).take(1)).toBe(false);
});

it('E6 gives a repository half of its bytes, or those with which one file begins, and removes what is its own', () => {
  const kept = [2];
  const asked: (number | null)[] = [];
  const space: FileSpace = new FileSpace((repositoryId) => {
    asked.push(repositoryId);
    const bytes = kept.shift();
    if (bytes !== undefined) space.shareOf(1).release(bytes);
    return bytes !== undefined;
  });
  space.resize(10);
  const share = space.shareOf(1);
  expect([share.take(2), share.take(3), share.take(2)]).toEqual([true, true, true]);
  expect([share.take(1), space.bytes, asked]).toEqual([false, 5, [1, 1]]);
  expect([space.shareOf(2).take(6), space.shareOf(3).take(4)]).toEqual([false, true]);
  share.release(5);
  expect([share.take(6), share.take(1)]).toEqual([true, false]);
});

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
