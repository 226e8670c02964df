import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openWorkerPools, transactOn, type WorkerPools } from '../../apps/vcs-worker/src/connections.ts';
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
