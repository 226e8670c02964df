import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { freezableWorkers, type FreezableWorkers } from '../harness/freezable-workers.ts';
import { holdUpdates } from '../harness/hold-updates.ts';
import { standsStill } from '../harness/suspend.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let workers: FreezableWorkers;

beforeAll(async () => {
  const env = { TRUNKLINE_LEASE_SECONDS: '3' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 3, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await cluster.kill();
});
beforeEach(async () => {
  workers = await freezableWorkers(cluster);
});
afterEach(() => workers.close());

async function deletionsOf(name: string) {
  const rows = await sql<{ id: string; state: string; attempt: number; error: string | null }[]>`
    select id, state, attempt, error from operations
      where kind = 'delete' and request->>'name' = ${name} order by created_at`;
  return rows.map((row) => ({ ...row }));
}

async function expectSound(): Promise<void> {
  await eventually(
    () => findInconsistencies(sql, cluster.storageRoot),
    (found) => found.length === 0,
  );
  expect(await findByteFaults(sql, cluster.storageRoot)).toEqual([]);
}

describe('C7 a worker that is frozen', { timeout: 150_000 }, () => {
  it('in the last step of delete_repo: no worker takes it over, and it ends once', async () => {
    const frozen = await workers.startFreezable();
    await admin.result('create_repo', { repo_name: 'doomed', repo_type: 'git' });
    const end = "new.state = 'done' and new.kind = 'delete'";
    const hold = await holdUpdates({ sql, databaseUrl: cluster.databaseUrl }, 'state on operations', end);
    const call = admin.call('delete_repo', { repoid: 'doomed' });
    await hold.reached();
    workers.freeze(frozen);
    await hold.release();
    await workers.start();
    const isOver = () =>
      sql`select 1 from operations where kind = 'delete' and lease_until < clock_timestamp() - interval '1 second'`;
    await eventually(isOver, (rows) => rows.length > 0);
    expect(await deletionsOf('doomed')).toMatchObject([{ state: 'running', attempt: 1 }]);
    workers.thaw(frozen);
    expect((await call).error).toBeNull();
    expect(await deletionsOf('doomed')).toMatchObject([{ state: 'done', attempt: 1 }]);
    await expectSound();
  });

  it('in delete_repo, before the move to the trash, while another one undoes the deletion: the repository stays', async () => {
    const crash = { NODE_ENV: 'test', TRUNKLINE_CRASH_AT: 'delete.fenced', TRUNKLINE_CRASH_SIGNAL: 'SIGSTOP' };
    const frozen = await workers.startFreezable(crash);
    await admin.result('create_repo', { repo_name: 'kept', repo_type: 'git' });
    const call = admin.call('delete_repo', { repoid: 'kept' });
    await standsStill(frozen.pid);
    workers.cutOff();
    await workers.start();
    const [deletion] = await deletionsOf('kept');
    // No method cancels a deletion; a worker also undoes one whose attempts are used up.
    await sql`update operations set cancel_requested_at = now() where id = ${deletion?.id ?? ''}`;
    await eventually(
      () => cluster.logs(),
      (logs) => logs.includes(`an earlier attempt at operation ${deletion?.id} may still move its repository`),
    );
    workers.thaw(frozen);
    const [ended] = await eventually(
      () => deletionsOf('kept'),
      ([row]) => row?.state !== 'running',
    );
    expect(ended).toMatchObject({ state: 'failed', error: 'failed to delete repository `kept`' });
    // The thawed worker may answer before the other one has ended the operation.
    const unknown = `The outcome of operation ${deletion?.id} is not known yet, ask get_operation`;
    expect([ended?.error, unknown]).toContain((await call).error);
    await admin.result('get_repo_refs', { repoid: 'kept' });
    await expectSound();
  });
});
