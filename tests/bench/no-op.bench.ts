import { fileURLToPath } from 'node:url';
import { startApp } from '@trunkline/local';
import autocannon from 'autocannon';
import * as v from 'valibot';
import { expect, inject, it } from 'vitest';
import { startCluster } from '../harness/cluster.ts';
import { median, report } from './median.ts';

const script = (name: string) => fileURLToPath(new URL(`baseline/${name}.mjs`, import.meta.url));
const Ready = v.object({ port: v.number() });

async function requestsPerSecond(url: string, body: string): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, method: 'POST', body, connections: 32, duration: 4 });
  expect({ non2xx, errors }).toEqual({ non2xx: 0, errors: 0 });
  return requests.average;
}

it('test (no-op) against a bare Hono -> NATS -> one prepared select', async () => {
  const cluster = await startCluster({
    postgresUrl: inject('postgresUrl'),
    gateways: 1,
    workers: 1,
    env: { TRUNKLINE_LOG_LEVEL: 'info' },
  });
  const env = { NATS_URL: cluster.nats.url, DATABASE_URL: cluster.databaseUrl };
  const echoWorker = await startApp({ entry: script('echo-worker'), env });
  const echoGateway = await startApp({ entry: script('echo-gateway'), env });
  const echoUrl = `http://127.0.0.1:${v.parse(Ready, echoGateway.ready).port}/echo`;
  const body = JSON.stringify({ id: 1, api_key: cluster.adminKey, method: 'test', args: { args: 'x'.repeat(64) } });
  try {
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < 4; round += 1) {
      const figures = [
        await requestsPerSecond(`${cluster.baseUrl}/_admin/api`, body),
        await requestsPerSecond(echoUrl, body),
      ];
      // The first round is a warm-up and not counted.
      if (round > 0) {
        ours.push(figures[0] ?? 0);
        bare.push(figures[1] ?? 0);
      }
    }
    const ratios = ours.map((figure, index) => figure / (bare[index] ?? 1));
    report('test, 32 connections, requests/s', { ours: median(ours), bare: median(bare), ratio: median(ratios) });
  } finally {
    await echoGateway.kill();
    await echoWorker.kill();
    await cluster.stop();
  }
}, 120_000);
