import { expect, it, vi } from 'vitest';
import { BusyError } from '@trunkline/contracts';
import { createFindCandidate, createForeignHashes, SourceLookUp } from './find-candidate.ts';
import { createPasswordQueues } from './password-queues.ts';

/** Returns a look-up whose queries the test ends with the known sources, or fails. */
function setUp() {
  const queries: { sources: readonly string[]; end(...known: string[]): void; fail(error: Error): void }[] = [];
  const lookUp = new SourceLookUp(
    (sources) =>
      new Promise((resolve, reject) =>
        queries.push({ sources, end: (...known) => resolve(new Set(known)), fail: reject }),
      ),
  );
  return { lookUp, queries, turn: () => new Promise(setImmediate) };
}

it('asks for all sources that came during a query in the next one', async () => {
  const { lookUp, queries, turn } = setUp();
  const first = lookUp.isKnown('a');
  await turn();
  const later = ['a', 'b', 'c', 'b'].map((source) => lookUp.isKnown(source));
  await turn();
  expect(queries.map(({ sources }) => sources)).toEqual([['a']]);
  queries[0]?.end('a');
  expect(await first).toBe(true);
  await turn();
  expect(queries[1]?.sources).toEqual(['a', 'b', 'c']);
  queries[1]?.end('b');
  expect(await Promise.all(later)).toEqual([false, true, false, true]);
});

it('fails for those alone whose query failed', async () => {
  const { lookUp, queries, turn } = setUp();
  const first = lookUp.isKnown('a');
  await turn();
  const next = lookUp.isKnown('b');
  queries[0]?.fail(new Error('lost'));
  await expect(first).rejects.toThrow('lost');
  await turn();
  queries[1]?.end('b');
  expect(await next).toBe(true);
});

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

it('B4 finds users at known sources while reads for any number of other sources wait', async () => {
  const running = new Set<string>();
  let queries = 0;
  let finishOthers = () => {};
  const othersMayEnd = new Promise<void>((resolve) => (finishOthers = resolve));
  const reads = {
    knownSources: async () => {
      queries += 1;
      return new Set(['office']);
    },
    user: async (name: string, source: string) => {
      running.add(source);
      if (source !== 'office') await othersMayEnd;
      return name;
    },
  };
  const find = createFindCandidate(reads, createPasswordQueues());
  const guesses = Array.from({ length: 2_000 }, (_, index) => find('ann', `source ${index}`));
  const outcomes = Promise.allSettled(guesses);
  expect(await find('ann', 'office')).toEqual({ user: 'ann', isKnownSource: true });
  expect([queries, running.size]).toEqual([1, 2]);
  finishOthers();
  const refusals = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  // One read runs and a hundred wait.
  expect(refusals.length).toBe(2_000 - 101);
  expect(refusals.every((reason) => reason instanceof BusyError)).toBe(true);
});
