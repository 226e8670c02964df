import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeAnswerOffer, encodeResult, gatewayInboxes, subjects } from '@trunkline/contracts';
import { startNats } from '@trunkline/local';
import { connectBus, createLogger, type Bus } from '@trunkline/runtime';
import { NatsError } from 'nats';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const timeLimitMs = 30_000;
const logger = createLogger({ role: 'test', level: 'silent' });
const eventually = (attempt: () => void | Promise<void>) => vi.waitFor(attempt, { timeout: 20_000 });

let directory: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-bus-'));
  await chmod(directory, 0o755);
  nats = await startNats({ dataDir: join(directory, 'nats') });
  bus = await connectBus({ url: nats.url, name: 'test', logger });
});
afterAll(async () => {
  await bus.close();
  await nats.stop();
  await rm(directory, { recursive: true });
});

it('a listener receives an event that was published', async () => {
  const subject = randomUUID();
  const payloads: string[] = [];
  bus.listen(subject, (payload) => payloads.push(Buffer.from(payload).toString()));
  bus.publish(subject, Buffer.from('grüße'));
  bus.publish(subject);
  await eventually(() => expect(payloads).toEqual(['grüße', '']));
});

it('a request that is abandoned fails at once, and its late answer is dropped', async () => {
  const subject = randomUUID();
  let answer = () => {};
  const released = new Promise<void>((resolve) => (answer = resolve));
  const service = bus.serve(subject, { timeLimitMs, handle: () => released.then(() => encodeResult('done')) });
  const abandoned = new AbortController();
  const request = bus.request(subject, new Uint8Array(), timeLimitMs, abandoned.signal);
  request.catch(() => {});
  await eventually(() => expect(service.inFlight).toBe(1));
  abandoned.abort();
  await expect(request).rejects.toMatchObject({ reason: 'abandoned', nothingRan: false });
  answer();
  await eventually(() => expect(service.inFlight).toBe(0));
  expect(await bus.request(subject, new Uint8Array(), timeLimitMs)).toMatchObject({ isError: false });
});

it('a requester is told when its answer begins, but not of an offer, whose answer is yet to come', async () => {
  const subject = randomUUID();
  const made = { address: 'http://127.0.0.1:1', ticket: 't'.repeat(43), expiresMs: 5_000, hmac: 'h', bytes: null };
  const handle = async (payload: Uint8Array) => (payload.length > 0 ? encodeAnswerOffer(made) : encodeResult('done'));
  bus.serve(subject, { timeLimitMs, handle });
  const begins = vi.fn<() => void>();
  const ask = (text: string) => bus.request(subject, Buffer.from(text), timeLimitMs, undefined, begins);
  await eventually(async () => expect(await ask('offer')).toMatchObject({ isOffer: true }));
  expect(begins).not.toHaveBeenCalled();
  await ask('');
  expect(begins).toHaveBeenCalledOnce();
});

it.each([
  ['whose subject the server refuses', gatewayInboxes, `${randomUUID()}.refused`],
  ['whose reply the server refuses', 'refused.inboxes', subjects.ping('metadata', null)],
])('a request %s fails at once', async (_what, inboxPrefix, subject) => {
  const gateway = await connectBus({ url: nats.gatewayUrl, name: 'test', inboxPrefix, logger });
  try {
    const begun = performance.now();
    const request = gateway.request(subject, new Uint8Array(), 600_000);
    await expect(request).rejects.toMatchObject({ reason: 'lost', nothingRan: false });
    expect(performance.now() - begun).toBeLessThan(300_000);
  } finally {
    await gateway.close();
  }
});

it('a request that is answered makes no error of the client', async () => {
  const subject = randomUUID();
  bus.serve(subject, { timeLimitMs, handle: async () => encodeResult('done') });
  const made = vi.spyOn(NatsError, 'errorForCode');
  try {
    expect(await bus.request(subject, new Uint8Array(), timeLimitMs)).toMatchObject({ isError: false });
    expect(made).not.toHaveBeenCalled();
  } finally {
    made.mockRestore();
  }
});

it('a reconnection is reported once', async () => {
  let reconnections = 0;
  bus.onReconnect(() => (reconnections += 1));
  await nats.kill();
  await eventually(() => expect(bus.connected).toBe(false));
  nats = await startNats({ dataDir: join(directory, 'nats'), port: nats.port });
  await eventually(() => expect(bus.connected).toBe(true));
  expect(reconnections).toBe(1);
});

it('a request to a silent service is answered by another one, and by the first when it is silent no more', async () => {
  const subject = randomUUID();
  let silent = true;
  const serve = (name: string, isSilent: () => boolean) =>
    bus.serve(subject, { timeLimitMs, isSilent, handle: async () => encodeResult(name) });
  const expectAnswer = (name: string) =>
    eventually(async () => {
      const { payload } = await bus.request(subject, new Uint8Array(), 1_000);
      expect(payload instanceof Uint8Array && Buffer.from(payload).toString()).toBe(JSON.stringify(name));
    });
  serve('first', () => silent);
  await expect(bus.request(subject, new Uint8Array(), 50)).rejects.toMatchObject({ reason: 'timeout' });
  const second = serve('second', () => false);
  await expectAnswer('second');
  await second.drain();
  silent = false;
  await expectAnswer('first');
});
