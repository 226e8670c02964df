import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gatewayInboxes, subjects, workerInboxes, workerQueueGroup } from '@trunkline/contracts';
import { natsServerPath } from '@trunkline/local';
import { BusError, connectBus, createLogger, type Bus, type BusReply } from '@trunkline/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startNatsCluster, type NatsCluster } from '../harness/nats-cluster.ts';

const timeLimitMs = 60_000;
const logger = createLogger({ role: 'test', level: 'silent' });
const subject = subjects.rpc('metadata', null, 'echo');
/** Callers of each gateway. */
const callersEach = 3;

let directory: string;
let nats: NatsCluster;
let gateways: Bus[] = [];
let workers: Bus[] = [];
/** The payloads for which the handler has run. */
let ran: string[] = [];
/** Answers of requests that begin with `held` wait for this. */
let held: Promise<void>;
let open = () => {};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-bus-'));
  await chmod(directory, 0o755);
  nats = await startNatsCluster(directory, 3);
}, 180_000);
afterAll(async () => {
  await nats.stop();
  await rm(directory, { recursive: true });
});

async function handle(payload: Uint8Array): ReturnType<Parameters<Bus['serve']>[1]['handle']> {
  const text = Buffer.from(payload).toString();
  ran.push(text);
  if (!text.startsWith('held')) return { payload, errorCode: null };
  async function* pieces() {
    yield Buffer.from('first ');
    await held;
    yield randomBytes(2 ** 20);
  }
  if (text.startsWith('held stream')) return { stream: pieces(), bytes: null };
  await held;
  return { payload, errorCode: null };
}

beforeEach(async () => {
  held = new Promise((resolve) => (open = resolve));
  ran = [];
  const name = 'test';
  const connect = (url: string, inboxPrefix: string) => connectBus({ url, name, inboxPrefix, logger });
  gateways = await Promise.all([1, 2, 3].map(() => connect(nats.gatewayUrl, gatewayInboxes)));
  workers = await Promise.all([1, 2, 3].map(() => connect(nats.workerUrl, workerInboxes)));
  for (const worker of workers) {
    worker.serve(subjects.rpcLane('metadata', null), { queue: workerQueueGroup, timeLimitMs, handle });
  }
  await Promise.all(gateways.map(isServed));
  ran = [];
});
afterEach(async () => {
  open();
  await Promise.all([...gateways, ...workers].map((bus) => bus.close()));
});

const ask = (gateway: Bus, text: string) => gateway.request(subject, Buffer.from(text), timeLimitMs);
const bytesOf = ({ payload }: BusReply) => (payload instanceof Uint8Array ? payload : expect.fail('a stream'));

/** Waits until the servers have told that of the gateway about workers. */
async function isServed(gateway: Bus): Promise<void> {
  const answer = () => ask(gateway, 'up?').then(Boolean, (error: unknown) => !(error instanceof BusError));
  await eventually(answer, Boolean, 60);
}

function streamOf({ payload }: BusReply) {
  if (payload instanceof Uint8Array) throw new Error('no stream');
  return payload.stream;
}

/** Has callers of all gateways ask one request after the other until `happen` has ended; returns what they asked. */
async function whileAsking(happen: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const over = new AbortController();
  const askOn = async (gateway: Bus) => {
    while (!over.signal.aborted) {
      const text = `request ${asked.length}`;
      asked.push(text);
      expect(Buffer.from(bytesOf(await ask(gateway, text))).toString()).toBe(text);
    }
  };
  const all = Promise.all(Array.from({ length: callersEach }, () => gateways.map(askOn)).flat());
  try {
    await Promise.race([happen(), all]);
  } finally {
    over.abort();
    await all;
  }
  return asked;
}

async function replaceAll(): Promise<void> {
  for (const node of nats.nodes) {
    await nats.start();
    await nats.retire(node);
  }
}

it('the configuration of a cluster is valid as operators copy it', async () => {
  const routes = ['10.0.0.11', '10.0.0.12'].map((host) => `nats-route://cluster:p1@${host}:6222`);
  const env = {
    TRUNKLINE_NATS_GATEWAY_PASSWORD: 'p2',
    TRUNKLINE_NATS_WORKER_PASSWORD: 'p3',
    TRUNKLINE_NATS_CLUSTER_PASSWORD: 'p1',
    TRUNKLINE_NATS_ROUTES: JSON.stringify(routes),
  };
  const path = fileURLToPath(new URL('../../infra/nats/nats-cluster.conf', import.meta.url));
  const { stderr } = await promisify(execFile)(natsServerPath(), ['-t', '-c', path], { env });
  expect(stderr).toContain('is valid');
});

describe('servers of the bus', () => {
  it('E8 that are told to leave, one after the other, lose no request and have none run twice', async () => {
    const asked = await whileAsking(replaceAll);
    expect(ran.toSorted()).toEqual(asked.toSorted());
    expect([...gateways, ...workers].every((bus) => bus.connected)).toBe(true);
  }, 180_000);

  it('E8 that are told to leave keep the connections whose requests and streams go on', async () => {
    const answers = Promise.all(gateways.map((gateway, at) => ask(gateway, `held ${at}`)));
    const streams = await Promise.all(gateways.map((gateway, at) => ask(gateway, `held stream ${at}`)));
    const read = Promise.all(streams.map((answer) => buffer(streamOf(answer))));
    await eventually(
      async () => ran.length,
      (count) => count === 6,
    );
    const former = nats.nodes;
    await whileAsking(async () => {
      for (const _ of former) await nats.start();
      const retired = Promise.all(former.map((node) => nats.retire(node)));
      // All connections move, while the requests keep the former ones.
      await eventually(
        () => nats.clients(),
        (clients) => clients >= gateways.length + workers.length,
        60,
      );
      open();
      await retired;
    });
    expect((await answers).map((answer) => Buffer.from(bytesOf(answer)).toString())).toEqual(
      gateways.map((_, at) => `held ${at}`),
    );
    expect((await read).map(({ length }) => length)).toEqual(gateways.map(() => 2 ** 20 + 'first '.length));
  }, 180_000);

  it('E5 one that is killed: requests in flight on it fail, and later ones are answered over another server', async () => {
    const requests = gateways.map((gateway, at) =>
      ask(gateway, `held ${at}`).then(
        () => 'answered',
        (error: unknown) => (error instanceof BusError ? error.reason : String(error)),
      ),
    );
    await eventually(
      async () => ran.length,
      (count) => count === gateways.length,
    );
    const [first] = nats.nodes;
    if (first) await nats.kill(first);
    await nats.start();
    await eventually(
      async () => [...gateways, ...workers].every((bus) => bus.connected),
      (all) => all,
      60,
    );
    await Promise.all(gateways.map(isServed));
    open();
    expect([...new Set(await Promise.all(requests))].filter((one) => !['answered', 'lost'].includes(one))).toEqual([]);
  }, 180_000);
});
