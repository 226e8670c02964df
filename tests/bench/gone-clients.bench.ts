import { connect } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { plantManyPaths } from '../../apps/vcs-worker/src/vcs/testing/plant-git.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { report } from './median.ts';

const calls = 200;
const everyMs = 50;
/** Clients that ask for a billion changed files, and go after 0.1 s. */
const goneEveryMs = 50;

let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  // Too small to cache any listing: each call runs git.
  const env = { TRUNKLINE_NODE_CACHE_BYTES: '1', TRUNKLINE_CACHE_BYTES: '1' };
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1, env });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  const [small, large] = [await makeGitRemote(), await makeGitRemote()];
  await small.commit({ 'dir/file': 'x' });
  await plantManyPaths(join(large.directory, '.git'));
  for (const [repo_name, { url }] of Object.entries({ small, large })) {
    await admin.result('create_repo', { repo_name, repo_type: 'git', clone_uri: url });
  }
  await Promise.all([small.close(), large.close()]);
}, 120_000);
afterAll(() => cluster.stop());

async function timeOther(): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1) {
    const started = performance.now();
    const args = { repoid: 'small', revision: 'tip', root_path: 'dir' };
    expect((await admin.call('get_repo_nodes', args)).error).toBeNull();
    times.push(performance.now() - started);
    await wait(everyMs);
  }
  return times.toSorted((a, b) => a - b);
}

async function askAndGo(): Promise<void> {
  const { hostname, port } = new URL(cluster.baseUrl);
  const args = { repoid: 'large', revision: 'tip', with_file_list: true };
  const body = JSON.stringify({ id: 1, api_key: cluster.adminKey, method: 'get_changeset', args });
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(`POST /_admin/api HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await wait(100);
  socket.destroy();
}

it('another client beside clients that go', async () => {
  const alone = await timeOther();
  const controller = new AbortController();
  const abuse = (async () => {
    while (!controller.signal.aborted) {
      void askAndGo();
      await wait(goneEveryMs);
    }
  })();
  const beside = await timeOther();
  controller.abort();
  await abuse;
  const at = (times: number[], share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  report('get_repo_nodes of another client', {
    'p50 alone ms': at(alone, 0.5),
    'p99 alone ms': at(alone, 0.99),
    'p50 beside ms': at(beside, 0.5),
    'p99 beside ms': at(beside, 0.99),
    ratio: at(beside, 0.99) / at(alone, 0.99),
  });
}, 180_000);
