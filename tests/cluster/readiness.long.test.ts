import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { startCuttableProxy } from '../harness/cuttable-proxy.ts';
import { eventually } from '../harness/eventually.ts';
import { readReadiness } from '../harness/readiness.ts';

const ready = { status: 200, missing: [], unserved: [] };
const workerReady = { status: 200, missing: [] };

let cluster: Cluster;
let gatewayMetrics: string;
let workerOrigins: readonly string[];

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 2, workers: 2 });
  [gatewayMetrics = '', ...workerOrigins] = [cluster.metricsUrls[0] ?? '', ...cluster.metricsUrls.slice(2)];
  await Promise.all(cluster.baseUrls.map((url) => becomes(url, 200)));
});
afterAll(() => cluster.stop());

const becomes = (origin: string, status: number) =>
  eventually(
    () => readReadiness(origin),
    (found) => found.status === status,
  );

function originOf({ ready }: Cluster['workers'][number]): string {
  return `http://127.0.0.1:${String(Object(ready).metricsPort)}`;
}

async function whileFrozen<T>(pid: number, act: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await act();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

describe('readiness', () => {
  it('E5 with one frozen worker: every gateway stays ready, and every read of metadata succeeds', async () => {
    const reads = cluster.baseUrls.flatMap((url) =>
      Array.from({ length: 25 }, () => () => createClient(url, cluster.adminKey).call('get_user')),
    );
    const [found, replies] = await whileFrozen(cluster.workers[0]?.pid ?? 0, async () => {
      const done = new AbortController();
      const polls = cluster.baseUrls.map(async (url) => {
        const statuses = [];
        while (!done.signal.aborted) statuses.push(await readReadiness(url));
        return statuses;
      });
      const replies = await Promise.all(reads.map((read) => read())).finally(() => done.abort());
      return [(await Promise.all(polls)).flat(), replies] as const;
    });
    expect(found.length).toBeGreaterThan(1);
    expect(found.filter(({ status }) => status !== 200)).toEqual([]);
    expect(replies.filter(({ error }) => error !== null)).toEqual([]);
    await Promise.all(workerOrigins.map((origin) => becomes(origin, 200)));
  });

  it('E5 with all workers frozen: no gateway is ready', async () => {
    const [first, second] = cluster.workers;
    const found = await whileFrozen(first?.pid ?? 0, () =>
      whileFrozen(second?.pid ?? 0, () => Promise.all(cluster.baseUrls.map((url) => becomes(url, 503)))),
    );
    expect(found.map(({ missing }) => missing)).toEqual(cluster.baseUrls.map(() => ['lane metadata']));
    for (const url of cluster.baseUrls) expect(await becomes(url, 200)).toEqual(ready);
  });

  it('E5 a frozen worker is dropped by the bus, and serves again when it is thawed', async () => {
    const line = await startCuttableProxy(cluster.nats.workerUrl);
    try {
      const worker = await cluster.startWorker({ TRUNKLINE_NATS_URL: line.url });
      await whileFrozen(worker.pid, () =>
        eventually(
          async () => line.connections,
          (open) => open === 0,
        ),
      );
      expect(await becomes(originOf(worker), 200)).toEqual(workerReady);
      await worker.stop();
    } finally {
      await line.close();
    }
  });

  it('E5 with a frozen nats-server: gateways and workers are not ready and name the bus alone', async () => {
    const origins = [...cluster.baseUrls, ...workerOrigins];
    // A check that the freeze meets halfway may find the lanes missing before the bus.
    const namesBus = (origin: string) =>
      eventually(
        () => readReadiness(origin),
        ({ status, missing }) => status === 503 && missing.includes('bus'),
      );
    const found = await whileFrozen(cluster.nats.pid, () => Promise.all(origins.map(namesBus)));
    expect(found.map(({ missing, unserved }) => [missing, unserved ?? null])).toEqual(
      origins.map(() => [['bus'], null]),
    );
    for (const url of cluster.baseUrls) expect(await becomes(url, 200)).toEqual(ready);
    for (const origin of workerOrigins) expect(await becomes(origin, 200)).toEqual(workerReady);
  });

  it('a worker answers /healthz and /readyz beside its metrics', async () => {
    for (const origin of workerOrigins) {
      const alive = await fetch(new URL('/healthz', origin));
      expect([alive.status, await alive.text()]).toEqual([200, 'ok']);
      expect(await readReadiness(origin)).toEqual(workerReady);
    }
    expect((await fetch(new URL('/readyz', gatewayMetrics))).status).toBe(404);
  });

  it('a worker that the bus does not let subscribe is not ready and names its lanes', async () => {
    const env = { TRUNKLINE_NATS_URL: cluster.nats.gatewayUrl, TRUNKLINE_LANES: 'metadata,storage' };
    const worker = await cluster.startWorker(env);
    try {
      const found = await becomes(originOf(worker), 503);
      expect(found.missing).toEqual(['lane metadata', 'lane storage']);
    } finally {
      await worker.kill();
    }
  });
});
