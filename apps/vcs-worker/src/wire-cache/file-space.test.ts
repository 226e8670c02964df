import { expect, it } from 'vitest';
import { FileSpace } from './file-space.ts';

it('gives bytes up to its limit, and none before it has one', () => {
  const space = new FileSpace(() => false);
  expect(space.take(1)).toBe(false);
  space.resize(10);
  expect([space.take(6), space.take(5), space.take(4)]).toEqual([true, false, true]);
  space.release(6);
  expect(space.bytes).toBe(4);
  expect(space.take(6)).toBe(true);
});

it('removes what is kept for what is asked for, and when the limit becomes smaller', () => {
  const kept = [3, 4];
  const space: FileSpace = new FileSpace(() => {
    const bytes = kept.shift();
    if (bytes !== undefined) space.release(bytes);
    return bytes !== undefined;
  });
  space.resize(10);
  expect(space.take(3) && space.take(4)).toBe(true);
  expect(space.take(5)).toBe(true);
  expect(kept).toEqual([4]);
  space.resize(6);
  expect(kept).toEqual([]);
  expect(space.bytes).toBe(5);
});

it('keeps the bytes of files that are in use beyond a smaller limit', () => {
  const space = new FileSpace(() => false);
  space.resize(10);
  expect(space.take(8)).toBe(true);
  space.resize(4);
  expect(space.bytes).toBe(8);
  expect(space.take(1)).toBe(false);
});
