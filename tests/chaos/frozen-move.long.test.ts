import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { findByteFaults } from '../harness/byte-faults.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { findInconsistencies } from '../harness/consistency.ts';
import { eventually } from '../harness/eventually.ts';
import { freezableWorkers, type FreezableWorkers } from '../harness/freezable-workers.ts';
import { makeHgRemote, type Remote } from '../harness/remotes.ts';
import { standsStill } from '../harness/suspend.ts';
import { someFile } from '../harness/unique-name.ts';

let cluster: Cluster;
let admin: Client;
let sql: postgres.Sql;
let workers: FreezableWorkers;
let remote: Remote;

// For each attempt anew: what a failed one has left would fail the next.
beforeEach(async () => {
  // A command that is lost on the bus fails in this time; by default, the import would wait for an hour.
  const env = { TRUNKLINE_LEASE_SECONDS: '3', TRUNKLINE_FORK_WAIT: '0', TRUNKLINE_TRANSFER_TIMEOUT: '60' };
  const options = { postgresUrl: inject('postgresUrl'), gateways: 1, workers: 0, storages: ['second'], env };
  cluster = await startCluster(options);
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  sql = postgres(cluster.databaseUrl, { max: 2, onnotice: () => {} });
  workers = await freezableWorkers(cluster);
  remote = await makeHgRemote();
});
afterEach(async () => {
  await workers.close();
  await sql.end();
  await cluster.kill();
  await remote.close();
});

const of = (storage: 'default' | 'second') => ({
  TRUNKLINE_STORAGES: `${storage}=${cluster.storageRoots[storage]}`,
  TRUNKLINE_STORAGE_CREATE: storage === 'second' ? storage : '',
});

const endOf = (task: string) =>
  eventually(
    () =>
      admin.result<{ state: string; error: string | null; attempt: number }>('get_operation', { operation_id: task }),
    ({ state }) => state !== 'running',
    90,
  );

async function stored() {
  const rows = await sql<{ storage: string; path: string; tip: string }[]>`
    select s.name as storage, r.storage_path as path, r.last_changeset->>'rawId' as tip
      from repositories r join storages s on s.id = r.storage_id`;
  return rows.map((row) => ({ ...row }));
}

// Longer than all waits in it together, so that the one that fails is named.
describe('C7 the worker of a move that is frozen', { timeout: 400_000 }, () => {
  it('after its copy was published: the copy goes, the repository stays, and the worker records nothing later', async () => {
    const crash = { NODE_ENV: 'test', TRUNKLINE_CRASH_AT: 'move.published', TRUNKLINE_CRASH_SIGNAL: 'SIGSTOP' };
    const frozen = await workers.startFreezable({ ...of('default'), ...crash });
    await cluster.startWorker(of('second'));
    const tip = await remote.commit({ [someFile]: '1' });
    const made = { repo_name: 'moved', repo_type: 'hg', clone_uri: remote.url, storage: 'default' };
    await admin.result('create_repo', made);
    const [before] = await stored();
    const { task } = await admin.result<{ task: string }>('move_repo', { repoid: 'moved', storage: 'second' });
    await standsStill(frozen.pid);
    workers.cutOff();
    const published = join(cluster.storageRoots['second'] ?? '', `${before?.path}.2`);
    expect(existsSync(published)).toBe(true);

    // The frozen worker has the lock on the repository, so that the move cannot be ended elsewhere.
    await workers.start(of('default'));
    expect(await endOf(task)).toMatchObject({ state: 'failed', attempt: 2 });
    workers.thaw(frozen);
    await eventually(
      () => findInconsistencies(sql, cluster.storageRoots),
      (found) => found.length === 0,
    );
    expect(await stored()).toEqual([{ storage: 'default', path: before?.path, tip }]);
    expect(existsSync(published)).toBe(false);
    await workers.kill(frozen);

    const again = await admin.result<{ task: string }>('move_repo', { repoid: 'moved', storage: 'second' });
    expect(await endOf(again.task)).toMatchObject({ state: 'done', error: null });
    expect(await stored()).toMatchObject([{ storage: 'second', tip }]);
    expect(await findByteFaults(sql, cluster.storageRoots)).toEqual([]);
  });
});
