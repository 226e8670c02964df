import { expect, it } from 'vitest';
import { FileSpace, type FileShare } from './file-space.ts';

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
