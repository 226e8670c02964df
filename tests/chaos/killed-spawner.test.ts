import { expect, inject, it } from 'vitest';
import { commandLines } from '../../apps/vcs-worker/src/vcs/testing/processes.ts';
import { createClient } from '../harness/client.ts';
import { startCluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { someFile } from '../harness/unique-name.ts';

/** Returns the ids of the processes that start commands for a worker with its private directory of this id. */
async function spawnersOf(worker: number): Promise<number[]> {
  const lines = [...(await commandLines())];
  return lines.filter(([, line]) => line.includes(`trunkline-worker-${worker}-`)).map(([id]) => id);
}

it('C6 commands go on when the process that starts them is killed', { timeout: 120_000 }, async () => {
  const env = { TRUNKLINE_API_ACCESS_CONTROLLERS_WHITELIST: 'FilesController:archivefile' };
  const cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  const remote = await makeGitRemote();
  try {
    const admin = createClient(cluster.baseUrl, cluster.adminKey);
    await remote.commit({ [someFile]: '1' });
    await admin.result('create_repo', { repo_name: 'read', repo_type: 'git', clone_uri: remote.url });
    await admin.result('update_repo', { repoid: 'read', enable_downloads: true });
    const worker = cluster.workers[0]?.pid ?? 0;
    const download = async () => {
      const answer = await fetch(`${cluster.baseUrl}/read/archive/tip.tar?api_key=${cluster.adminKey}`);
      return [answer.status, (await answer.arrayBuffer()).byteLength > 0];
    };
    expect(await download()).toEqual([200, true]);
    const [spawner, ...others] = await spawnersOf(worker);
    expect(others).toEqual([]);
    process.kill(spawner ?? 0, 'SIGKILL');
    // Until another one runs, the worker starts commands itself.
    expect(await download()).toEqual([200, true]);
    const [next] = await eventually(
      () => spawnersOf(worker),
      (found) => found.length === 1 && found[0] !== spawner,
    );
    expect(await download()).toEqual([200, true]);
    expect(await cluster.logs()).toContain('the process that starts git and hg has died');
    await cluster.workers[0]?.kill();
    await eventually(
      () => spawnersOf(worker),
      (found) => found.length === 0,
    );
    expect(next).toBeGreaterThan(0);
  } finally {
    await cluster.kill();
    await remote.close();
  }
});
