import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { encodeAnswerOffer } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { createLogger, DataClient, isBrokenOff, startDataServer, type DataHandler } from '@trunkline/runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createOpenAnswer, LostOfferError } from './answer.ts';

const vault = createSecretVault('s'.repeat(32));
const logger = createLogger({ role: 'test', level: 'silent' });
const requestId = randomUUID();

/** Starts a data port that offers the answer of a handler; `open` takes an offer. */
async function setUp(handler: DataHandler, bytes: number | null = null) {
  const server = await startDataServer({ host: '127.0.0.1', port: 0, url: null, tls: null, vault, logger });
  onTestFinished(() => server.stop(0));
  const client = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault });
  onTestFinished(() => client.close());
  const ended = vi.fn<() => void>();
  const offer = () => encodeAnswerOffer({ ...server.offer(requestId, handler, { ended }), bytes }).payload;
  const open = (
    encoded: Uint8Array,
    { timeoutMs = 3_600_000, id = requestId, signal = new AbortController().signal } = {},
  ) => createOpenAnswer(client)(encoded, { requestId: id, caller: 'user 1', timeoutMs, signal });
  return { server, ended, offer, open };
}

const silent: DataHandler = () => new Promise(() => {});

async function* piecesOf(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

it('takes the answer that a worker has offered, with its length', async () => {
  const { offer, open } = await setUp(async () => ({ body: piecesOf('[1,', '2]') }), 5);
  const { length, stream } = await open(offer());
  expect([length, String(await buffer(stream))]).toEqual([5, '[1,2]']);
});

it('resolves when an empty answer has ended', async () => {
  const { offer, open } = await setUp(async () => ({ body: piecesOf() }));
  const { length, stream } = await open(offer());
  expect([length, String(await buffer(stream))]).toEqual([null, '']);
});

it.each([
  ['fails before its first byte', null],
  ['has more bytes than were announced', 3],
])('an answer that %s is none', async (_what, bytes) => {
  const { offer, open } = await setUp(async () => {
    if (bytes === null) throw new Error('disk');
    return { body: piecesOf('12345') };
  }, bytes);
  await expect(open(offer())).rejects.toMatchObject({ name: 'BusError', reason: 'lost' });
});

it('an answer that fails later has begun, and is not accepted as complete', async () => {
  let fail = () => {};
  const failed = new Promise<void>((_resolve, reject) => (fail = () => reject(new Error('disk'))));
  const { offer, open } = await setUp(async () => ({
    body: (async function* () {
      yield Buffer.from('x');
      await failed;
    })(),
  }));
  const { stream } = await open(offer());
  fail();
  await expect(buffer(stream).catch((error: unknown) => isBrokenOff(error))).resolves.toBe(true);
});

it('F2 nothing is connected for an offer that answers another request, or is none', async () => {
  const { server, offer, open } = await setUp(async () => ({ body: piecesOf('x') }));
  await expect(open(offer(), { id: randomUUID() })).rejects.toMatchObject({ reason: 'lost' });
  await expect(open(Buffer.from('{}'))).rejects.toMatchObject({ reason: 'lost' });
  expect(server.figures).toMatchObject({ openTickets: 1, refused: 0 });
});

it('D12 an answer that does not begin in time fails, and ends the transfer', async () => {
  const { offer, open, ended } = await setUp(silent);
  await expect(open(offer(), { timeoutMs: 50 })).rejects.toMatchObject({ reason: 'timeout' });
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
});

it('D12 an answer that is abandoned before it begins fails at once, and ends the transfer', async () => {
  const client = new AbortController();
  const { offer, open, ended } = await setUp(async () => {
    client.abort();
    return silent({} as never);
  });
  await expect(open(offer(), { signal: client.signal })).rejects.toMatchObject({ reason: 'abandoned' });
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
});

it('D12 an answer that is destroyed by its reader ends the transfer and its source', async () => {
  const left = vi.fn<() => void>();
  const { offer, open, ended } = await setUp(async () => ({
    body: (async function* () {
      try {
        for (;;) yield Buffer.alloc(1_000);
      } finally {
        left();
      }
    })(),
  }));
  const { stream } = await open(offer());
  stream.destroy();
  await vi.waitFor(() => expect([ended.mock.calls.length, left.mock.calls.length]).toEqual([1, 1]));
});

it('C6 the offer of a worker that has gone is lost, and that of one that fails is not', async () => {
  const { server, offer, open } = await setUp(async () => ({ body: piecesOf('x') }));
  const made = offer();
  await server.stop(0);
  await expect(open(made)).rejects.toBeInstanceOf(LostOfferError);
  const failing = await setUp(() => Promise.reject(new Error('disk')));
  await expect(failing.open(failing.offer())).rejects.not.toBeInstanceOf(LostOfferError);
});

it('C6 an offer is lost when its worker dies while the transfer is opened', async () => {
  let stop = () => {};
  const { server, offer, open } = await setUp(() => {
    stop();
    return new Promise(() => {});
  });
  stop = () => void server.stop(0);
  await expect(open(offer())).rejects.toBeInstanceOf(LostOfferError);
});
