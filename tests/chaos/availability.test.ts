import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '@trunkline/local';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';
import { createWebClient } from '../harness/web-client.ts';

const unavailable = 'Service is temporarily unavailable, try again later';

let directory: string;
let postgres: PostgresServer;
let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-availability-'));
  await chmod(directory, 0o755);
  postgres = await startPostgres({ dataDir: join(directory, 'postgres'), throwaway: false });
});
afterAll(async () => {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  cluster = await startCluster({ postgresUrl: postgres.url, gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('test', { args: 1 });
});
afterEach(() => cluster.kill());

const readiness = () => readReadiness(cluster.baseUrl);

/** Calls so often, one after the other, that the test's time is up if each call waited for the time of its lane. */
async function failAtOnce(method: string, args?: Record<string, unknown>): Promise<void> {
  for (let call = 0; call < 15; call += 1) expect(await admin.error(method, args)).toBe(unavailable);
}

/** Reads from a gateway's metrics whether each lane is served. */
async function servedLanes(): Promise<string[]> {
  const text = await (await fetch(String(cluster.metricsUrls[0]))).text();
  return [...text.matchAll(/^trunkline_lane_served\{lane="(\w+)",storage="(?:default)?"\} (\d)$/gm)].map(
    ([, lane, is]) => `${lane} ${is}`,
  );
}

const becomes = (status: number) => eventually(readiness, (answer) => answer.status === status, 15);
const alive = async () => (await fetch(`${cluster.baseUrl}/healthz`)).status;

describe('availability', () => {
  it('with database, bus and worker: ready', async () => {
    expect((await becomes(200)).status).toBe(200);
    expect(await alive()).toBe(200);
  });

  it('E5 without a worker: calls fail at once with the fixed text, not ready; with a worker: ready again', async () => {
    await becomes(200);
    await cluster.workers[0]?.stop();
    await failAtOnce('get_repos');
    expect((await becomes(503)).missing).toEqual(['lane metadata']);
    expect(await alive()).toBe(200);
    await cluster.startWorker();
    await becomes(200);
    expect(await admin.result('test', { args: 1 })).toBe(1);
  });

  it('E5 with a worker of the lane metadata only: ready, names the other lanes, and serves calls of metadata', async () => {
    await cluster.workers[0]?.stop();
    await cluster.startWorker({ TRUNKLINE_LANES: 'metadata' });
    expect(await admin.result('test', { args: 1 })).toBe(1);
    expect(await admin.error('create_repo', { repo_name: 'x' })).toBe(unavailable);
    expect(await becomes(200)).toEqual({
      status: 200,
      missing: [],
      unserved: ['storage', 'download', 'transfer', 'wire', 'wire-push'],
    });
    expect(await servedLanes()).toEqual(['metadata 1', 'storage 0', 'download 0', 'transfer 0', 'wire 0']);
    await cluster.startWorker({ TRUNKLINE_LANES: 'storage,download,transfer,wire,wire-push' });
    await eventually(readiness, ({ unserved }) => unserved?.length === 0);
    expect(await servedLanes()).toEqual(['metadata 1', 'storage 1', 'download 1', 'transfer 1', 'wire 1']);
    await admin.result('create_repo', { repo_name: 'x' });
  });

  it('E5 with workers of other lanes only: not ready', async () => {
    await cluster.workers[0]?.stop();
    await cluster.startWorker({ TRUNKLINE_LANES: 'storage,download,transfer,wire,wire-push' });
    const found = await becomes(503);
    expect([found.missing, found.unserved]).toEqual([['lane metadata'], ['metadata']]);
  });

  it('without the bus: calls fail with the fixed text, not ready; with the bus again: recovers by itself', async () => {
    await becomes(200);
    await cluster.nats.kill();
    await eventually(
      () => admin.call('test', { args: 1 }),
      ({ error }) => error === unavailable,
    );
    await failAtOnce('test', { args: 1 });
    expect((await becomes(503)).missing).toEqual(['bus']);
    await cluster.restartNats();
    await eventually(
      () => admin.call('test', { args: 1 }),
      ({ error }) => error === null,
    );
    await becomes(200);
  });

  it('E12 without the database: calls fail with the fixed text, not ready; with the database again: recovers by itself', async () => {
    await becomes(200);
    const { port } = postgres;
    await postgres.kill();
    await eventually(
      () => admin.call('get_repos'),
      ({ error }) => error === unavailable,
    );
    await failAtOnce('get_repos');
    expect((await becomes(503)).missing).toEqual(['database']);
    const ofWorker = await eventually(
      () => readReadiness(String(cluster.metricsUrls[1])),
      ({ status }) => status === 503,
    );
    expect(ofWorker.missing).toEqual(['database']);
    const page = await fetch(`${cluster.baseUrl}/docs/feed/rss?api_key=${cluster.adminKey}`);
    expect([page.status, page.headers.get('cache-control'), await page.text()]).toEqual([
      503,
      'no-store',
      `${unavailable}\n`,
    ]);
    const { status } = await createWebClient(cluster.baseUrl).signIn('admin', 'any');
    expect(status).toBe(503);
    const counted = await fetch(String(cluster.metricsUrls[0]));
    expect(await counted.text()).toMatch(/method="LoginController:index".*code="unavailable"/);
    postgres = await startPostgres({ dataDir: join(directory, 'postgres'), throwaway: false, port });
    await eventually(
      () => admin.call('get_repos'),
      ({ error }) => error === null,
    );
    await becomes(200);
  });
});
