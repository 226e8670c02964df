import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { describeTree } from '../harness/describe-tree.ts';
import { makeRemote } from '../harness/remotes.ts';

it('a move between two storages of one worker opens no transfer, and brings all there', async () => {
  const cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    storages: ['second'],
    env: { TRUNKLINE_FORK_WAIT: '25' },
  });
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });
  const remote = await makeRemote.git();
  try {
    const admin = createClient(cluster.baseUrl, cluster.adminKey);
    await remote.commit({ large: randomBytes(300_000).toString('latin1'), small: 'y' });
    const args = { repo_name: 'moved', repo_type: 'git', clone_uri: remote.url, storage: 'default' };
    await admin.result('create_repo', args);
    const pathNow = async () => {
      const [row] = await sql<{ name: string; path: string }[]>`
        select s.name, r.storage_path as path from repositories r join storages s on s.id = r.storage_id`;
      return join(cluster.storageRoots[row?.name ?? ''] ?? '', row?.path ?? '');
    };
    const from = await pathNow();
    const expected = await describeTree(from);
    const { task } = await admin.result<{ task: null }>('move_repo', { repoid: 'moved', storage: 'second' });
    expect(task).toBeNull();
    expect(await pathNow()).not.toBe(from);
    expect(await describeTree(await pathNow())).toEqual(expected);
    const metrics = (await Promise.all(cluster.metricsUrls.map(async (url) => (await fetch(url)).text()))).join('');
    expect(metrics).toContain('trunkline_copy_actions_total{action="publish",outcome="done"} 1');
    // Gateways send some bytes to see whether they reach the data port.
    expect(Number(/trunkline_data_bytes_total\{direction="in"\} (\d+)/.exec(metrics)?.[1])).toBeLessThan(100_000);
  } finally {
    await sql.end();
    await cluster.stop();
    await remote.close();
  }
});
