import { expect, it } from 'vitest';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { createStoragePoller, type StorageJob } from './storage-poller.ts';

/** Creates a poller whose operations end when the test lets them, and that finds `due` repositories of each storage. */
function setUp(due: number, job: Pick<StorageJob, 'atOnce' | 'oneAtATimeIn'>) {
  const begun: string[] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const failed: unknown[] = [];
  const poll = createStoragePoller(
    {
      engine: {
        begin: () => Promise.reject(new Error('the job begins')),
        runOperations: () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })),
      },
      logger: { warn: (_details: unknown, text?: string) => failed.push(text) },
    },
    {
      ...job,
      failureText: 'failed',
      begin: async (storageId) => {
        if (begun.filter((id) => id === storageId).length === due) return null;
        begun.push(storageId);
        return {} as ClaimedOperation;
      },
    },
  );
  return { poll, begun, ends, failed, running: (count: number) => expect.poll(() => ends.length).toBe(count) };
}

const { signal } = new AbortController();

it('runs operations of a storage until none is due, as many at once as the job says, and goes on after failures', async () => {
  const { poll, begun, ends, failed, running } = setUp(3, { atOnce: 2, oneAtATimeIn: 'storage' });
  const polled = poll('a', signal);
  await running(2);
  expect(begun).toHaveLength(2);
  ends[0]?.reject(new Error('disk'));
  await running(3);
  for (const { resolve } of ends) resolve();
  await polled;
  expect([begun, failed]).toEqual([['a', 'a', 'a'], ['failed']]);
});

it.each([
  ['worker', ['a']],
  ['storage', ['a', 'b']],
] as const)('runs once at a time in a %s', async (oneAtATimeIn, expected) => {
  const { poll, begun, ends, running } = setUp(1, { atOnce: 1, oneAtATimeIn });
  const polled = ['a', 'a', 'b'].map((storageId) => poll(storageId, signal));
  await running(expected.length);
  expect(begun).toEqual(expected);
  for (const { resolve } of ends) resolve();
  await Promise.all(polled);
});
