import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { startAbusers } from './abuse/start-abusers.ts';
import { atShare, report } from './median.ts';

const rounds = 3;
const callsOfRound = 400;
const connections = 4;

let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
});
afterAll(() => cluster.stop());

async function timeCalls(): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < callsOfRound; call += 1) {
    const started = performance.now();
    expect((await admin.call('get_ip', { userid: 'admin' })).error).toBeNull();
    times.push(performance.now() - started);
  }
  return times;
}

it('A2 time of calls beside four connections that post a megabyte without a key', async () => {
  const alone: number[] = [];
  const beside: number[] = [];
  let answers = 0;
  await timeCalls();
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await timeCalls()));
    const abusers = await startAbusers([{ name: 'keyless', baseUrls: [cluster.baseUrl], connections }]);
    beside.push(...(await timeCalls()));
    const counts = await abusers.stop();
    answers += Object.values(counts).reduce((sum, count) => sum + count, 0);
  }
  report('get_ip', {
    'p50 alone ms': atShare(alone, 0.5),
    'p99 alone ms': atShare(alone, 0.99),
    'p50 beside ms': atShare(beside, 0.5),
    'p99 beside ms': atShare(beside, 0.99),
    ratio: atShare(beside, 0.99) / atShare(alone, 0.99),
    'bodies without a key': answers,
  });
}, 600_000);
