import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { atShare, report } from './median.ts';

const rounds = 3;
const callsOfRound = 100;
const connections = 4;
const bytes = 1_000_000;

let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
});
afterAll(() => cluster.stop());

function keylessBody(): Buffer {
  const objects: string[] = [];
  for (let length = 0; length < bytes; length += (objects.at(-1)?.length ?? 0) + 1) {
    objects.push(`{"a${objects.length}":0}`);
  }
  return Buffer.from(`{"id":1,"x":[${objects.join(',')}]}`);
}

/** Posts a body on some connections, again and again until the signal; returns the number of answers. */
async function flood(body: Buffer, signal: AbortSignal): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let answers = 0;
  const post = async () => {
    while (!signal.aborted) {
      const sent = request(`${cluster.baseUrl}/_admin/api`, { agent, method: 'POST' }).end(body);
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
  agent.destroy();
  return answers;
}

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
  const body = keylessBody();
  const alone: number[] = [];
  const beside: number[] = [];
  let answers = 0;
  await timeCalls();
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await timeCalls()));
    const stop = new AbortController();
    const flooded = flood(body, stop.signal);
    beside.push(...(await timeCalls()));
    stop.abort();
    answers += await flooded;
  }
  report('get_ip', {
    'p50 alone ms': atShare(alone, 0.5),
    'p99 alone ms': atShare(alone, 0.99),
    'p50 beside ms': atShare(beside, 0.5),
    'p99 beside ms': atShare(beside, 0.99),
    'bodies without a key': answers,
  });
}, 600_000);
