import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  decodeError,
  encodeError,
  encodeResult,
  InternalError,
  NotFoundError,
  OperationFailedError,
  UnavailableError,
  type WorkerReply,
} from '@trunkline/contracts';
import { startNats } from '@trunkline/local';
import { BusError, connectBus, createLogger, type Bus, type BusReply } from '@trunkline/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

const maxPayloadBytes = 64 * 1024;
const timeLimitMs = 30_000;
const logger = createLogger({ role: 'test', level: 'silent' });
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (payload: Uint8Array) => new TextDecoder().decode(payload);
/** Returns the bytes of an answer that is one message; fails for a stream. */
const bytesOf = ({ payload }: BusReply) => (payload instanceof Uint8Array ? payload : expect.fail('a stream'));
const textOf = (reply: BusReply) => decode(bytesOf(reply));
const errorOf = (reply: BusReply) => decodeError(bytesOf(reply));
const eventually = <T>(attempt: () => T | Promise<T>) => vi.waitFor(attempt, { timeout: 20_000 });
const echo = async (payload: Uint8Array): Promise<WorkerReply> => ({ payload, errorCode: null });

let directory: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let buses: Bus[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-bus-'));
  await chmod(directory, 0o755);
  nats = await startNats({ dataDir: join(directory, 'nats'), maxPayloadBytes });
});

afterEach(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  buses = [];
});

afterAll(async () => {
  await nats.stop();
  await rm(directory, { recursive: true });
});

async function connect(url = nats.url): Promise<Bus> {
  const bus = await connectBus({ url, name: 'test', logger });
  buses.push(bus);
  return bus;
}

/** Creates a promise that the test resolves by `open`. */
function gate() {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

async function failureOf(request: Promise<unknown>): Promise<BusError> {
  const failure: unknown = await request.then(
    () => new Error('answered'),
    (error: unknown) => error,
  );
  if (failure instanceof BusError) return failure;
  throw failure;
}

describe('a request', () => {
  it('carries result and error bytes unchanged and tells them apart', async () => {
    const [client, worker] = await Promise.all([connect(), connect()]);
    const subject = randomUUID();
    worker.serve(subject, {
      timeLimitMs,
      handle: async (payload) =>
        decode(payload) === 'fail' ? encodeError(new NotFoundError('no `ü`')) : encodeResult({ echo: decode(payload) }),
    });
    await eventually(() => client.request(subject, encode('up?'), 1_000));
    const good = await client.request(subject, encode('grüße'), timeLimitMs);
    expect([textOf(good), good.isError]).toEqual(['{"echo":"grüße"}', false]);
    const bad = await client.request(subject, encode('fail'), timeLimitMs);
    expect(bad.isError).toBe(true);
    expect(errorOf(bad)).toEqual(new NotFoundError('no `ü`'));
  });

  it('E5 on a subject without a subscriber fails at once', async () => {
    const client = await connect();
    const begun = performance.now();
    const failure = await failureOf(client.request(randomUUID(), encode('x'), 60_000));
    expect([failure.reason, failure.nothingRan]).toEqual(['no-responders', true]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('without an answer in time fails with an error that something may have run', async () => {
    const client = await connect();
    const { opened, open } = gate();
    const subject = randomUUID();
    client.serve(subject, { timeLimitMs, handle: (payload) => opened.then(() => echo(payload)) });
    const failure = await failureOf(client.request(subject, encode('x'), 50));
    expect([failure.reason, failure.nothingRan]).toEqual(['timeout', false]);
    open();
  });

  it('E3 that is too large is not sent', async () => {
    const client = await connect();
    const subject = randomUUID();
    client.serve(subject, { timeLimitMs, handle: echo });
    const failure = await failureOf(client.request(subject, new Uint8Array(client.payloadBytesMax + 1), timeLimitMs));
    expect([failure.reason, failure.nothingRan]).toEqual(['too-large', true]);
    expect(client.payloadBytesMax).toBe(maxPayloadBytes);
  });
});

describe('a handler', () => {
  const throwing = {
    'throws at once': () => {
      throw new Error('secret detail');
    },
    rejects: () => Promise.reject(new Error('secret detail')),
  } satisfies Record<string, () => Promise<WorkerReply>>;

  it.each(Object.entries(throwing))('that %s is answered, and the subscription continues', async (_how, handle) => {
    const bus = await connect();
    const [broken, sound] = [randomUUID(), randomUUID()];
    bus.serve(broken, { timeLimitMs, handle });
    bus.serve(sound, { timeLimitMs, handle: echo });
    for (let i = 0; i < 3; i += 1) {
      const reply = await bus.request(broken, encode('x'), timeLimitMs);
      expect(reply.isError).toBe(true);
      expect(errorOf(reply)).toEqual(new InternalError());
      expect(textOf(reply)).not.toContain('secret');
    }
    expect(textOf(await bus.request(sound, encode('x'), timeLimitMs))).toBe('x');
  });

  it('E3 with an answer beyond the limit is answered with an error that names the limit', async () => {
    const bus = await connect();
    const subject = randomUUID();
    bus.serve(subject, {
      timeLimitMs,
      handle: async (payload) => ({ payload: new Uint8Array(Number(decode(payload))), errorCode: null }),
    });
    const limit = bus.payloadBytesMax;
    const reply = await bus.request(subject, encode(String(limit + 1)), timeLimitMs);
    expect(errorOf(reply)).toEqual(
      new OperationFailedError(`The answer is too large (${limit + 1} bytes, the limit is ${limit})`),
    );
  });

  it('that exceeds its time limit is answered with an error, and its signal fires', async () => {
    const bus = await connect();
    const subject = randomUUID();
    const stopped = gate();
    bus.serve(subject, {
      timeLimitMs: 30,
      handle: async (payload, signal) => {
        await once(signal, 'abort');
        stopped.open();
        return echo(payload);
      },
    });
    const reply = await bus.request(subject, encode('x'), timeLimitMs);
    expect(errorOf(reply)).toEqual(new UnavailableError());
    await stopped.opened;
  });

  it('of an event may throw, and the subscription continues', async () => {
    const bus = await connect();
    const subject = randomUUID();
    let received = 0;
    bus.listen(subject, () => {
      received += 1;
      throw new Error('listener');
    });
    bus.publish(subject);
    bus.publish(subject);
    await eventually(() => expect(received).toBe(2));
  });
});

describe('draining', () => {
  it('E8 answers every request that has begun and accepts no other', async () => {
    const [client, worker] = await Promise.all([connect(), connect()]);
    const subject = randomUUID();
    const { opened, open } = gate();
    const service = worker.serve(subject, { timeLimitMs, handle: (payload) => opened.then(() => echo(payload)) });
    await eventually(() =>
      failureOf(client.request(subject, encode('up?'), 20)).then((e) => expect(e.reason).toBe('timeout')),
    );
    const texts = Array.from({ length: 300 }, (_, i) => `request ${i}`);
    const requests = texts.map((text) => client.request(subject, encode(text), timeLimitMs));
    await eventually(() => expect(service.inFlight).toBeGreaterThanOrEqual(texts.length));

    const drained = service.drain();
    await eventually(async () =>
      expect((await failureOf(client.request(subject, encode('late'), 20))).reason).toBe('no-responders'),
    );
    expect(service.inFlight).toBeGreaterThanOrEqual(texts.length);
    open();
    await drained;
    expect(service.inFlight).toBe(0);
    await worker.close();
    expect((await Promise.all(requests)).map(textOf)).toEqual(texts);
  });

  it('E8 of one worker under load loses nothing and runs nothing twice', async () => {
    const [client, first, second] = await Promise.all([connect(), connect(), connect()]);
    const subject = randomUUID();
    const ran: string[] = [];
    const half = gate();
    const serve = (bus: Bus) =>
      bus.serve(subject, {
        queue: 'workers',
        timeLimitMs,
        handle: async (payload) => {
          ran.push(decode(payload));
          if (ran.length === 1_000) half.open();
          await new Promise((resolve) => setImmediate(resolve));
          return echo(payload);
        },
      });
    const leaving = serve(first);
    serve(second);
    await eventually(() => client.request(subject, encode('up?'), 1_000));
    ran.length = 0;

    const texts = Array.from({ length: 2_000 }, (_, i) => `request ${i}`);
    const waiting = [...texts];
    const caller = async () => {
      for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
        const reply = await client.request(subject, encode(text), timeLimitMs);
        expect(textOf(reply)).toBe(text);
      }
    };
    const callers = Promise.all(Array.from({ length: 50 }, caller));
    await half.opened;
    await leaving.drain();
    await first.close();
    await callers;
    expect(ran.toSorted()).toEqual(texts.toSorted());
  });
});

describe('a bus that is stopped and started again', () => {
  it('fails requests in flight, refuses new ones at once while it is away, runs none of them later, then works again', async () => {
    const dataDir = join(directory, 'restarted');
    let server = await startNats({ dataDir });
    const { port, url } = server;
    try {
      const [client, worker] = await Promise.all([connect(url), connect(url)]);
      const subject = randomUUID();
      const ran: string[] = [];
      const { opened, open } = gate();
      worker.serve(subject, {
        timeLimitMs,
        handle: async (payload) => {
          ran.push(decode(payload));
          if (decode(payload) === 'held') await opened;
          return echo(payload);
        },
      });
      await eventually(() => client.request(subject, encode('up?'), 1_000));
      const held = failureOf(client.request(subject, encode('held'), 600_000));
      await eventually(() => expect(ran).toContain('held'));

      await server.kill();
      const lost = await held;
      expect([lost.reason, lost.nothingRan]).toEqual(['lost', false]);
      expect(client.connected).toBe(false);
      const refused = await failureOf(client.request(subject, encode('while down'), 600_000));
      expect([refused.reason, refused.nothingRan]).toEqual(['not-connected', true]);
      open();

      server = await startNats({ dataDir, port });
      const reply = await eventually(() => client.request(subject, encode('back'), 1_000));
      expect(textOf(reply)).toBe('back');
      expect(client.connected).toBe(true);
      expect(ran).not.toContain('while down');
    } finally {
      await server.stop();
    }
  });

  it('does not prevent a worker from stopping while it is away', async () => {
    const server = await startNats({ dataDir: join(directory, 'gone') });
    const worker = await connect(server.url);
    const service = worker.serve(randomUUID(), { timeLimitMs, handle: echo });
    await server.kill();
    await eventually(() => expect(worker.connected).toBe(false));
    await service.drain();
    await worker.close();
    expect(worker.connected).toBe(false);
  });
});
