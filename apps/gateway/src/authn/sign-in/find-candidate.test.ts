import { BusyError } from '@trunkline/contracts';
import { expect, it } from 'vitest';
import { createFindCandidate } from './find-candidate.ts';
import { createPasswordQueues } from './password-queues.ts';

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
