import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startApp } from '@trunkline/local';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import * as v from 'valibot';
import { bundleScript } from '../harness/bundle-script.ts';
import { createClient, type Client } from '../harness/client.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { cpuMsOf, readProcesses } from '../harness/process-figures.ts';
import { ipCall, timeCalls } from './beside.ts';
import { atShare, median, report } from './median.ts';

const rounds = 3;
const megabyte = 2 ** 20;
const kinds = ['stream', 'offer'] as const;
type Kind = (typeof kinds)[number];
const names = { stream: 'bus', offer: 'data port' } as const;
/** Small answers, as most files and differences are. */
const smallBytes = 256 * 1024;
/** Paced transfers beside which others call. */
const pacedTransfers = 6;
const pacedMbPerSecond = 15;

let cluster: Cluster;
let admin: Client;
let worker: Awaited<ReturnType<typeof startApp>>;
let gateway: Awaited<ReturnType<typeof startApp>>;
let baseUrl: string;
const agent = new Agent({ keepAlive: true });

let directory: string;

/** Starts one of the scripts that use the product's own libraries. */
async function startScript(name: string, env: Record<string, string>) {
  const entry = join(directory, `${name}.mjs`);
  await writeFile(entry, await bundleScript(`import './${name}.mjs';`, join(import.meta.dirname, 'baseline')));
  return startApp({ entry, env });
}

beforeAll(async () => {
  cluster = await startCluster({ postgresUrl: inject('postgresUrl'), gateways: 1, workers: 1 });
  admin = createClient(cluster.baseUrl, cluster.adminKey);
  const env = { NATS_URL: cluster.nats.url, SECRET: randomBytes(32).toString('hex') };
  // From there the libraries find their files.
  directory = await mkdtemp(join(import.meta.dirname, '../node_modules/.trunkline-bytes-'));
  worker = await startScript('bytes-worker', env);
  gateway = await startScript('bytes-gateway', env);
  baseUrl = `http://127.0.0.1:${v.parse(v.object({ port: v.number() }), gateway.ready).port}`;
});
afterAll(async () => {
  agent.destroy();
  await Promise.all([gateway.kill(), worker.kill()]);
  await cluster.stop();
  await rm(directory, { recursive: true });
});

/** Reads an answer of so many bytes, not faster than so many megabytes a second. */
function read(kind: Kind, bytes: number, { mbPerSecond = Infinity, signal = new AbortController().signal } = {}) {
  return new Promise<void>((resolve, reject) => {
    const started = performance.now();
    let received = 0;
    const request = get(`${baseUrl}/${kind}/${bytes}`, { agent, signal }, (response) => {
      response.on('data', (piece: Buffer) => {
        received += piece.length;
        const aheadMs = (received / megabyte / mbPerSecond) * 1_000 - (performance.now() - started);
        if (aheadMs < 5) return;
        response.pause();
        void wait(aheadMs).then(() => response.resume());
      });
      response.once('error', reject).once('end', () => {
        expect(received).toBe(bytes);
        resolve();
      });
    });
    request.once('error', reject);
  });
}

async function readCpu() {
  const table = await readProcesses();
  return {
    gateway: cpuMsOf(table, gateway.pid),
    worker: cpuMsOf(table, worker.pid),
    bus: cpuMsOf(table, cluster.nats.pid),
  };
}

/** Reads answers in some loops and returns the rate and the CPU time of each part. */
async function measure(kind: Kind, loops: number, answers: number, bytes: number) {
  const before = await readCpu();
  const started = performance.now();
  const loop = async () => {
    for (let answer = 0; answer < answers; answer += 1) await read(kind, bytes);
  };
  await Promise.all(Array.from({ length: loops }, loop));
  const seconds = (performance.now() - started) / 1_000;
  const after = await readCpu();
  const count = loops * answers;
  const gigabytes = (count * bytes) / 2 ** 30;
  const cpuOf = (part: keyof typeof before) => (after[part] - before[part]) / 1_000;
  return {
    mbPerSecond: (gigabytes * 1_024) / seconds,
    perSecond: count / seconds,
    cpu: { gateway: cpuOf('gateway'), worker: cpuOf('worker'), bus: cpuOf('bus') },
    gigabytes,
    count,
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

/** Measures bus and data port in turn. */
async function inTurn(run: (kind: Kind) => Promise<Measured>): Promise<Record<Kind, Measured[]>> {
  const measured: Record<Kind, Measured[]> = { stream: [], offer: [] };
  for (const kind of kinds) await run(kind);
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds) measured[kind].push(await run(kind));
  }
  return measured;
}

const allCpu = ({ cpu }: Measured) => cpu.gateway + cpu.worker + cpu.bus;

it.each([
  [1, 4, 256],
  [8, 1, 128],
])(
  '%i transfers at once, over the bus and over a data port',
  async (loops, answers, mb) => {
    const measured = await inTurn((kind) => measure(kind, loops, answers, mb * megabyte));
    for (const kind of kinds) {
      const of = (figure: (one: Measured) => number) => median(measured[kind].map(figure));
      report(`${names[kind]}, ${loops} at once`, {
        'MB/s': of(({ mbPerSecond }) => mbPerSecond),
        'CPU s per GB': of((one) => allCpu(one) / one.gigabytes),
        'gateway s/GB': of(({ cpu, gigabytes }) => cpu.gateway / gigabytes),
        'worker s/GB': of(({ cpu, gigabytes }) => cpu.worker / gigabytes),
        'bus s/GB': of(({ cpu, gigabytes }) => cpu.bus / gigabytes),
      });
    }
  },
  600_000,
);

it.each([smallBytes, 2 * megabyte])(
  'answers of %i bytes, one after the other',
  async (bytes) => {
    const measured = await inTurn((kind) => measure(kind, 1, 300, bytes));
    for (const kind of kinds) {
      const of = (figure: (one: Measured) => number) => median(measured[kind].map(figure));
      report(`${names[kind]}, ${bytes / 1_024} KB`, {
        'answers/s': of(({ perSecond }) => perSecond),
        'CPU ms per answer': of((one) => (allCpu(one) * 1_000) / one.count),
      });
    }
  },
  600_000,
);

it(`get_ip beside ${pacedTransfers} transfers of ${pacedMbPerSecond} MB/s`, async () => {
  const call = ipCall(admin);
  await timeCalls(call);
  const times: Record<Kind | 'none', number[]> = { none: [], stream: [], offer: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.none.push(...(await timeCalls(call, 300)));
    for (const kind of kinds) {
      const stop = new AbortController();
      const transfers = Array.from({ length: pacedTransfers }, () =>
        read(kind, 2 ** 40, { mbPerSecond: pacedMbPerSecond, signal: stop.signal }).catch(() => {}),
      );
      await wait(500);
      times[kind].push(...(await timeCalls(call, 300)));
      stop.abort();
      await Promise.all(transfers);
    }
  }
  for (const kind of ['none', ...kinds] as const) {
    report(kind === 'none' ? 'alone' : `beside transfers over the ${names[kind]}`, {
      'p50 ms': atShare(times[kind], 0.5),
      'p99 ms': atShare(times[kind], 0.99),
    });
  }
}, 600_000);
