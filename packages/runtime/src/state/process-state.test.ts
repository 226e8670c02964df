import { expect, it } from 'vitest';
import { RunningWork } from './process-state.ts';

it('lists what has run longest, without what has ended', async () => {
  const work = new RunningWork<{ id: string }>();
  const ends = ['a', 'b', 'c', 'd'].map((id) => work.begin({ id }));
  ends[1]?.();
  expect(work.count).toBe(3);
  expect(work.oldest(2)).toEqual([
    { id: 'a', ms: expect.any(Number) },
    { id: 'c', ms: expect.any(Number) },
  ]);
});

it('forgets work that fails', async () => {
  const work = new RunningWork<{ id: string }>();
  const failing = work.during({ id: 'a' }, async () => {
    expect(work.count).toBe(1);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(work.count).toBe(0);
});
