import { randomUUID } from 'node:crypto';
import { migrate, openDatabase } from '@trunkline/db';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { claimOrphans } from '../../apps/vcs-worker/src/operations/operation-store.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 0, workers: 0 });
  await migrate(cluster.databaseUrl);
});
afterAll(() => cluster.stop());

it('a worker takes over no more operations than it has slots for, whatever the plan', async () => {
  const { db, close } = openDatabase(cluster.databaseUrl, { connectionsMax: 1, name: 'test' });
  try {
    await db.execute(`
      insert into operations (id, kind, repository_id, request, state, worker, lease_until)
      select gen_random_uuid(), 'pull', n, '{}', 'running', 'dead', now() - interval '1 s' from generate_series(1, 50) n`);
    const claimed = await db.transaction(async (tx) => {
      // With these settings Postgres runs a sub-select again for each row.
      for (const plan of ['hashjoin', 'mergejoin', 'material', 'hashagg', 'sort', 'memoize']) {
        await tx.execute(`set local enable_${plan} = off`);
      }
      return claimOrphans(tx, randomUUID(), 30, 3);
    });
    expect(claimed).toHaveLength(3);
  } finally {
    await close();
  }
});
