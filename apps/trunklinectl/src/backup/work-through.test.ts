import { expect, it } from 'vitest';
import { workThrough } from './work-through.ts';

class AwayError extends Error {}

const mayPass = (error: unknown) => error instanceof AwayError;

/** Works on items that fail as often as said; returns which succeeded, in order, and which were given up. */
async function play(failures: Readonly<Record<string, number>>, patienceMs: number) {
  const tries = new Map<string, number>();
  const done: string[] = [];
  const given: string[] = [];
  await workThrough(Object.keys(failures), {
    mayPass,
    patienceMs,
    failed: (item) => void given.push(item),
    act: async (item) => {
      const tried = (tries.get(item) ?? 0) + 1;
      tries.set(item, tried);
      if (tried <= (failures[item] ?? 0)) throw new AwayError();
      done.push(item);
    },
  });
  return { done, given, tries: Object.fromEntries(tries) };
}

it('tries what fails for a while again behind all others', async () => {
  const { done, given } = await play({ a: 2, b: 2, c: 2, d: 2, e: 0, f: 0 }, 60_000);
  expect(done.slice(0, 2)).toEqual(['e', 'f']);
  expect(done.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  expect(given).toEqual([]);
});

it('gives up what fails when nothing has succeeded for long, and not before the third time', async () => {
  const { done, given, tries } = await play({ away: Infinity, late: 2, c: 0 }, 0);
  expect(done).toEqual(['c', 'late']);
  expect(given).toEqual(['away']);
  expect(tries).toEqual({ away: 3, late: 3, c: 1 });
});

it('does not try again what fails for another reason, and goes on with the others', async () => {
  const given: unknown[] = [];
  const done: string[] = [];
  await workThrough(['a', 'b'], {
    mayPass,
    failed: (item, error) => void given.push([item, error]),
    act: async (item) => {
      if (item === 'a') throw new Error('damaged');
      done.push(item);
    },
  });
  expect(given).toEqual([['a', new Error('damaged')]]);
  expect(done).toEqual(['b']);
});

it('ends with what is thrown about a failure, and begins nothing more', async () => {
  const begun: number[] = [];
  const work = workThrough(
    Array.from({ length: 100 }, (_, at) => at),
    {
      mayPass,
      failed: () => {
        throw new Error('the disk is full');
      },
      act: async (item) => {
        begun.push(item);
        throw new Error('not written');
      },
    },
  );
  await expect(work).rejects.toThrow('the disk is full');
  expect(begun.length).toBeLessThanOrEqual(8);
});
