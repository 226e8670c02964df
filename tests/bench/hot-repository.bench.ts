import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { makeGitRemote } from '../harness/remotes.ts';
import { startAbusers } from './abuse/start-abusers.ts';
import { evenly } from './evenly.ts';
import { atShare, median, report } from './median.ts';

const seconds = 8;
const rounds = 4;
/** Time in which the load on the hot repository opens its connections, in milliseconds. */
const warmUpMs = 2_000;
const directories = 1_000;
const others = Array.from({ length: 20 }, (_, index) => `other-${index}`);
const othersPerSecond = 40;
const hotPerSecond = 500;

let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    // Too small to cache any listing: each call runs git.
    env: { TRUNKLINE_NODE_CACHE_BYTES: '1', TRUNKLINE_CACHE_BYTES: '1' },
  });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  const remote = await makeGitRemote();
  const files = Array.from({ length: 5 * directories }, (_, index) => `dir-${index % directories}/file-${index}`);
  await remote.commit(Object.fromEntries(files.map((name) => [name, name])));
  for (const name of ['hot', ...others]) {
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  }
  await remote.close();
}, 120_000);
afterAll(() => cluster.stop());

const nodesOf = (repoid: string, index: number) =>
  admin.call('get_repo_nodes', { repoid, revision: 'tip', root_path: `dir-${index % directories}` });

async function timeOthers(): Promise<number[]> {
  const times: number[] = [];
  await evenly(seconds, othersPerSecond, async (index) => {
    const started = performance.now();
    const { error } = await nodesOf(others[index % others.length] ?? '', index);
    expect(error).toBeNull();
    times.push(performance.now() - started);
  });
  return times;
}

/** Has another process call for the hot repository while others are timed; returns the calls a second with a result. */
async function besideHeat(work: () => Promise<void>): Promise<number> {
  const url = `${cluster.baseUrl}/_admin/api`;
  const settings = { url, apiKey: cluster.adminKey, repoid: 'hot', directories, perSecond: hotPerSecond };
  const began = performance.now();
  const load = await startAbusers([{ name: 'hotRepository', ...settings }]);
  await wait(warmUpMs);
  await work();
  const counts = await load.stop();
  return (counts['hotRepository: served'] ?? 0) / ((performance.now() - began) / 1_000);
}

it('E6 time of calls for other repositories beside one with 500 calls a second', async () => {
  const alone: number[] = [];
  const beside: number[] = [];
  const hot: number[] = [];
  await timeOthers();
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await timeOthers()));
    hot.push(await besideHeat(async () => void beside.push(...(await timeOthers()))));
  }
  report('get_repo_nodes of 20 others, 40/s', {
    'p50 alone ms': atShare(alone, 0.5),
    'p99 alone ms': atShare(alone, 0.99),
    'p50 beside ms': atShare(beside, 0.5),
    'p99 beside ms': atShare(beside, 0.99),
    ratio: atShare(beside, 0.99) / atShare(alone, 0.99),
    'hot served/s': median(hot),
  });
}, 180_000);
