import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openWorkerPools, transactOn, type WorkerPools } from '../../apps/vcs-worker/src/connections.ts';
import { WriteTransactions } from '../../apps/vcs-worker/src/serve/admission/write-transactions.ts';
import { copyTestDatabase } from '../harness/test-database.ts';

let pools: WorkerPools;
beforeAll(async () => {
  const name = `test_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const { workerUrl } = await copyTestDatabase(inject('postgresUrl'), name);
  pools = openWorkerPools(workerUrl, 'vcs-worker test', { reads: 1, writes: 1 });
});
afterAll(() => pools.close());

it.each([
  ['the first wait of a write for a row', '250ms', false],
  ['a wait of a write behind which others wait', '100ms', true],
])('E6 %s ends after %s', async (_, lockTimeout, isBrief) => {
  const read = () =>
    transactOn(pools.db.writes)(async (tx) => {
      // The transaction has its own limit from its first statement on.
      await tx.execute('select 1');
      return tx.execute('show lock_timeout');
    }, isBrief);
  expect(await read()).toEqual([{ lock_timeout: lockTimeout }]);
});

it('a write whose object was deleted in between is run once more, and no third time', async () => {
  const transactions = new WriteTransactions({
    transact: transactOn(pools.db.writes),
    pool: pools.db.writes,
    connections: 1,
    stopping: new AbortController().signal,
  });
  const slot = { releaseToWait: () => {}, reacquire: async () => true };
  const call = { key: 'userid 99', callerId: 1, slot, msLeft: () => 60_000 };
  let runs = 0;
  /** Follows a repository that is not there in its first runs. */
  const follow = (times: number) =>
    transactions.transact(call, async (tx) => {
      runs += 1;
      if (runs <= times) await tx.execute('insert into followers (user_id, repository_id) values (99, 99)');
      return runs;
    });
  expect(await follow(1)).toBe(2);
  runs = 0;
  await expect(follow(2)).rejects.toMatchObject({ cause: { code: '23503' } });
  expect([runs, transactions.figures]).toEqual([2, { running: 0, waiting: 0 }]);
});
