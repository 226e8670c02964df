import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '@trunkline/local';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { createWebClient } from '../harness/web-client.ts';

const unavailable = 'Service is temporarily unavailable, try again later';

let directory: string;
let postgres: PostgresServer;
let cluster: Cluster;
let admin: Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-availability-'));
  await chmod(directory, 0o755);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

beforeEach(async () => {
  postgres = await startPostgres({ dataDir: join(directory, 'postgres'), throwaway: false });
  cluster = await startCluster({ postgresUrl: postgres.url, gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  await admin.result('test', { args: 1 });
});
afterEach(async () => {
  await cluster.kill();
  await postgres.stop();
});

async function readiness(): Promise<{ status: number; text: string }> {
  const response = await fetch(`${cluster.baseUrl}/readyz`);
  return { status: response.status, text: await response.text() };
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const started = performance.now();
  const value = await work;
  return { value, ms: performance.now() - started };
}

const becomes = (status: number) => eventually(readiness, (answer) => answer.status === status, 15);
const alive = async () => (await fetch(`${cluster.baseUrl}/healthz`)).status;

describe('availability', () => {
  it('everything there: ready', async () => {
    expect((await becomes(200)).status).toBe(200);
    expect(await alive()).toBe(200);
  });

  it('E5 no worker: the fixed text at once, not ready, and ready again with a worker', async () => {
    await becomes(200);
    await cluster.workers[0]?.stop();
    const { value, ms } = await timed(admin.error('get_repos'));
    expect(value).toBe(unavailable);
    expect(ms).toBeLessThan(1_000);
    expect((await becomes(503)).text).not.toBe('');
    expect(await alive()).toBe(200);
    await cluster.startWorker();
    await becomes(200);
    expect(await admin.result('test', { args: 1 })).toBe(1);
  });

  it('a worker of some lanes only: not ready, and what it serves is served', async () => {
    await cluster.workers[0]?.stop();
    await cluster.startWorker({ TRUNKLINE_LANES: 'metadata' });
    expect(await admin.result('test', { args: 1 })).toBe(1);
    expect(await admin.error('create_repo', { repo_name: 'x' })).toBe(unavailable);
    await becomes(503);
    await cluster.startWorker({ TRUNKLINE_LANES: 'storage,download,transfer' });
    await becomes(200);
    await admin.result('create_repo', { repo_name: 'x' });
  });

  it('bus gone: the fixed text, not ready; bus back: it goes on by itself', async () => {
    await becomes(200);
    await cluster.nats.kill();
    await eventually(
      () => admin.call('test', { args: 1 }),
      ({ error }) => error === unavailable,
    );
    const { value, ms } = await timed(admin.error('test', { args: 1 }));
    expect(value).toBe(unavailable);
    expect(ms).toBeLessThan(1_000);
    await becomes(503);
    await cluster.restartNats();
    await eventually(
      () => admin.call('test', { args: 1 }),
      ({ error }) => error === null,
    );
    await becomes(200);
  });

  it('E12 database gone: the fixed text, not ready; database back: it goes on by itself', async () => {
    await becomes(200);
    const { port } = postgres;
    await postgres.kill();
    await eventually(
      () => admin.call('get_repos'),
      ({ error }) => error === unavailable,
    );
    const { value, ms } = await timed(admin.error('get_repos'));
    expect(value).toBe(unavailable);
    expect(ms).toBeLessThan(2_000);
    await becomes(503);
    const page = await fetch(`${cluster.baseUrl}/docs/feed/rss?api_key=${cluster.adminKey}`);
    expect([page.status, page.headers.get('cache-control'), await page.text()]).toEqual([
      503,
      'no-store',
      `${unavailable}\n`,
    ]);
    const { status } = await createWebClient(cluster.baseUrl).signIn('admin', 'any');
    expect(status).toBe(503);
    const counted = await fetch(String(cluster.metricsUrls[0]));
    expect(await counted.text()).toMatch(/operation="LoginController:index".*code="unavailable"/);
    postgres = await startPostgres({ dataDir: join(directory, 'postgres'), throwaway: false, port });
    await eventually(
      () => admin.call('get_repos'),
      ({ error }) => error === null,
    );
    await becomes(200);
  });
});
