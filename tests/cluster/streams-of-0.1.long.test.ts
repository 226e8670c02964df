import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { encodeResult } from '@trunkline/contracts';
import { startNats } from '@trunkline/local';
import { connectBus, createLogger, type Bus, type LargeAnswer } from '@trunkline/runtime';
import { afterAll, assert, beforeAll, describe, expect, it, vi } from 'vitest';

const maxPayloadBytes = 64 * 1024;
const messageBytesMax = maxPayloadBytes / 2;
/** A quarter of the window: two chunks. */
const firstCreditBytes = maxPayloadBytes / 2;
const timeLimitMs = 30_000;
const logger = createLogger({ role: 'test', level: 'silent' });
const nothing = new Uint8Array();
const eventually = <T>(attempt: () => T | Promise<T>) => vi.waitFor(attempt, { timeout: 20_000 });

let directory: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let client: Bus;
let worker: Bus;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-stream-'));
  await chmod(directory, 0o755);
  nats = await startNats({ dataDir: join(directory, 'nats'), maxPayloadBytes });
  const connect = () => connectBus({ url: nats.url, name: 'test', logger });
  [client, worker] = await Promise.all([connect(), connect()]);
});
afterAll(async () => {
  await Promise.all([client, worker].map((bus) => bus.close()));
  await nats.stop();
  await rm(directory, { recursive: true });
});

/** Serves a subject with this handler; `ask` sends a request to the subject. */
async function serve(handle: Parameters<Bus['serve']>[1]['handle']) {
  const subject = randomUUID();
  const service = worker.serve(subject, { timeLimitMs, handle });
  const ask = () => client.request(subject, nothing, timeLimitMs);
  const askStream = async (): Promise<LargeAnswer> => {
    const { payload } = await ask();
    assert(!(payload instanceof Uint8Array), 'one message');
    return payload;
  };
  // The server has processed the subscription once it has answered a request on the same connection.
  const ping = randomUUID();
  worker.serve(ping, { timeLimitMs, handle: async () => ({ payload: nothing, errorCode: null }) });
  await worker.request(ping, nothing, timeLimitMs);
  return { subject, service, ask, askStream };
}

const streamOf = (payload: Uint8Array) => ({
  stream: (async function* () {
    yield payload;
  })(),
  bytes: payload.length,
});
const answering = (payload: Uint8Array) => serve(async () => streamOf(payload));

describe('an answer', () => {
  it('E3 is one message when it is small', async () => {
    const { ask } = await serve(async () => ({ payload: new Uint8Array(messageBytesMax), errorCode: null }));
    expect((await ask()).payload).toBeInstanceOf(Uint8Array);
  });

  it.each([messageBytesMax + 1, 1_000_003, 64 * 1024 * 1024])('E3 of %i bytes comes in chunks', async (length) => {
    const payload = randomBytes(length);
    const { service, askStream } = await answering(payload);
    const answer = await askStream();
    expect(answer.length).toBe(length);
    expect((await buffer(answer.stream)).equals(payload)).toBe(true);
    await eventually(() => expect(service.inFlight).toBe(0));
  });

  it('may be a stream of unknown length', async () => {
    const chunks = Array.from({ length: 100 }, (_, i) => randomBytes(i * 300));
    const { askStream } = await serve(async () => ({
      stream: (async function* () {
        yield* chunks;
      })(),
      bytes: null,
    }));
    const answer = await askStream();
    expect(answer.length).toBeNull();
    expect((await buffer(answer.stream)).equals(Buffer.concat(chunks))).toBe(true);
  });

  it('whose stream fails is not accepted as complete', async () => {
    const { askStream } = await serve(async () => ({
      stream: (async function* () {
        yield randomBytes(1_000);
        throw new Error('disk');
      })(),
      bytes: null,
    }));
    const { stream } = await askStream();
    await expect(buffer(stream)).rejects.toMatchObject({ reason: 'lost', nothingRan: false });
  });

  it('that is not read stops after the frames of its first credit', async () => {
    let yielded = 0;
    const { service, askStream } = await serve(async () => ({
      stream: (async function* () {
        for (;;) {
          yield randomBytes(1_024);
          yielded += 1_024;
        }
      })(),
      bytes: null,
    }));
    const { stream } = await askStream();
    await eventually(() => expect(yielded).toBe(firstCreditBytes));
    stream.destroy();
    await eventually(() => expect(service.inFlight).toBe(0));
    expect(yielded).toBe(firstCreditBytes);
  });

  it('that is abandoned leaves nothing behind in its worker', async () => {
    const { service, askStream } = await answering(randomBytes(1_000_000));
    for (let i = 0; i < 50; i += 1) (await askStream()).stream.destroy();
    await eventually(() => expect(service.inFlight).toBe(0));
  });
});

/** Creates a source without any piece; `begun` resolves when it is read. */
function silentSource() {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const source = {
    next: () => {
      begin();
      return new Promise<IteratorResult<Uint8Array>>(() => {});
    },
    return: vi.fn(async () => ({ done: true, value: undefined }) as const),
  };
  return { begun, source, stream: { [Symbol.asyncIterator]: () => source } };
}

it('D12 a request whose stream does not begin in time fails, and ends the source', async () => {
  const { source, stream } = silentSource();
  const { subject, service } = await serve(async () => ({ stream, bytes: null }));
  await expect(client.request(subject, nothing, 1_000)).rejects.toMatchObject({ reason: 'timeout' });
  await eventually(() => expect(service.inFlight).toBe(0));
  expect(source.return).toHaveBeenCalled();
});

it('D12 a request that is abandoned before its stream begins fails at once, and ends the source', async () => {
  const { begun, source, stream } = silentSource();
  const { subject, service } = await serve(async () => ({ stream, bytes: null }));
  const controller = new AbortController();
  const request = client.request(subject, nothing, timeLimitMs, controller.signal);
  await begun;
  controller.abort();
  await expect(request).rejects.toMatchObject({ reason: 'abandoned' });
  await eventually(() => expect(service.inFlight).toBe(0));
  expect(source.return).toHaveBeenCalled();
});

describe('draining', () => {
  it('E8 waits for an answer that is being read', async () => {
    const payload = randomBytes(1_000_000);
    const { subject, service, askStream } = await answering(payload);
    const { stream } = await askStream();
    let isDrained = false;
    const drained = service.drain().then(() => (isDrained = true));
    // Sent on the worker's own connection, and so after the messages of the drain.
    await expect(worker.request(subject, nothing, timeLimitMs)).rejects.toMatchObject({ reason: 'no-responders' });
    expect(isDrained).toBe(false);
    expect((await buffer(stream)).equals(payload)).toBe(true);
    await drained;
  });

  it('E8 waits for a limited time: the reader of an incomplete answer receives an error', async () => {
    const { service, askStream } = await answering(randomBytes(1_000_000));
    const { stream } = await askStream();
    await service.drain(1);
    await expect(buffer(stream)).rejects.toMatchObject({ reason: 'lost' });
  });
});

describe('a connection after a reconnect', () => {
  it('an answer that was abandoned is not begun, and holds nothing in its worker', async () => {
    const dataDir = join(directory, 'restarted');
    let server = await startNats({ dataDir });
    const { port, url } = server;
    const connect = () => connectBus({ url, name: 'test', logger });
    const [asking, answering] = await Promise.all([connect(), connect()]);
    try {
      const subject = randomUUID();
      let release = () => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      let asked = 0;
      const service = answering.serve(subject, {
        timeLimitMs,
        handle: async () => {
          asked += 1;
          await held;
          return streamOf(new Uint8Array(8_000_000));
        },
      });
      const ping = randomUUID();
      answering.serve(ping, { timeLimitMs, handle: async () => ({ payload: nothing, errorCode: null }) });
      await answering.request(ping, nothing, timeLimitMs);
      const call = asking.request(subject, nothing, timeLimitMs);
      call.catch(() => {});
      await eventually(() => expect(asked).toBe(1));
      await server.kill();
      await expect(call).rejects.toMatchObject({ reason: 'lost' });
      server = await startNats({ dataDir, port });
      await eventually(() => expect([asking.connected, answering.connected]).toEqual([true, true]));
      release();
      await vi.waitFor(() => expect(service.inFlight).toBe(0), { timeout: 20_000 });
    } finally {
      await Promise.all([asking, answering].map((bus) => bus.close()));
      await server.stop();
    }
  });
});

describe.each([16 * 1024, 32 * 1024 * 1024])('a bus with messages of %i bytes', (bytesMax) => {
  it('E3 accepts requests up to that size, and delivers answers of any size', async () => {
    const server = await startNats({ dataDir: join(directory, `messages-${bytesMax}`), maxPayloadBytes: bytesMax });
    const bus = await connectBus({ url: server.url, name: 'test', logger });
    try {
      const [count, fill] = [randomUUID(), randomUUID()];
      bus.serve(count, { timeLimitMs, handle: async ({ length }) => encodeResult(length) });
      bus.serve(fill, {
        timeLimitMs,
        async handle(asked) {
          const payload = new Uint8Array(Number(Buffer.from(asked))).fill(7);
          return payload.length > bus.payloadBytesMax ? streamOf(payload) : { payload, errorCode: null };
        },
      });
      const whole = await bus.request(count, new Uint8Array(bytesMax), timeLimitMs);
      expect(Buffer.from(whole.payload instanceof Uint8Array ? whole.payload : []).toString()).toBe(String(bytesMax));
      const tooLarge = bus.request(count, new Uint8Array(bytesMax + 1), timeLimitMs);
      await expect(tooLarge).rejects.toMatchObject({ reason: 'too-large' });
      for (const length of [0, 1_000, bytesMax - 1, bytesMax + 1]) {
        const { payload } = await bus.request(fill, Buffer.from(String(length)), timeLimitMs);
        const answer = payload instanceof Uint8Array ? payload : await buffer(payload.stream);
        expect([answer.length, answer.every((byte) => byte === 7)]).toEqual([length, true]);
      }
    } finally {
      await bus.close();
      await server.stop();
    }
  });
});
