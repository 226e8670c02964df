import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { BusyError, UnavailableError, type DataOffer } from '@trunkline/contracts';
import { describe, expect, it, vi } from 'vitest';
import { signData } from './data-protocol.ts';
import type { DataServer } from './data-server.ts';
import { openDataPort, piecesOf, vaultOf } from './testing/open-data-port.ts';

const eventually = <T>(attempt: () => T | Promise<T>) => vi.waitFor(attempt, { timeout: 20_000 });
const answering = async () => ({ body: piecesOf('bytes') });

function open({ address }: Pick<DataServer, 'address'>): Socket {
  const { hostname, port } = new URL(address);
  return connect(Number(port), hostname).on('error', () => {});
}

/** Sends bytes as they are and returns all that comes back until the connection is closed. */
async function exchange(server: DataServer, bytes: string): Promise<string> {
  const socket = open(server);
  socket.write(bytes);
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(pieces).toString();
}

const head = (ticket: string, hmac: string, method = 'POST') =>
  `${method} /data/${ticket} HTTP/1.1\r\nHost: x\r\nTrunkline-Hmac: ${hmac}\r\nContent-Length: 0\r\n\r\n`;

const sign = (made: DataOffer, requestId: string) => signData(vaultOf('secret'), 'ticket', made, requestId);
const notFound = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

describe('F1 a ticket', () => {
  it('is valid once', async () => {
    const { client, server, offer, requestId } = await openDataPort();
    const made = offer(answering);
    expect(await text((await client.transfer(made, requestId)).body)).toBe('bytes');
    await expect(client.transfer(made, requestId)).rejects.toMatchObject({ reason: 'refused' });
    expect(server.figures.refused).toBe(1);
  });

  it('expires, which ends what it was for', async () => {
    const { offer, requestId, server } = await openDataPort({ limits: { ticketMs: 50 } });
    const ended = vi.fn<() => void>();
    const made = offer(answering, { ended });
    await eventually(() => expect(ended).toHaveBeenCalledOnce());
    expect(server.figures.openTickets).toBe(0);
    expect(await exchange(server, head(made.ticket, sign(made, requestId)))).toBe(notFound);
  });

  it('is refused with the HMAC of another secret, address, request or use, which does not use it up', async () => {
    const { client, server, offer, requestId } = await openDataPort();
    const made = offer(answering);
    const hmacs = [
      signData(vaultOf('another'), 'ticket', made, requestId),
      signData(vaultOf('secret'), 'ticket', { ...made, address: 'http://127.0.0.1:1' }, requestId),
      signData(vaultOf('secret'), 'ticket', made, 'another request'),
      made.hmac,
      '',
      'x'.repeat(43),
    ];
    for (const hmac of hmacs) expect(await exchange(server, head(made.ticket, hmac))).toMatch(/^HTTP\/1.1 404 /);
    expect(server.figures.refused).toBe(hmacs.length);
    expect(await text((await client.transfer(made, requestId)).body)).toBe('bytes');
  });

  it('gets one answer, byte for byte, whether it is unknown, used or wrongly signed', async () => {
    const { client, server, offer, requestId } = await openDataPort();
    const used = offer(answering);
    const hmac = sign(used, requestId);
    await text((await client.transfer(used, requestId)).body);
    const answers = await Promise.all(
      [
        head('A'.repeat(43), hmac),
        head(used.ticket, hmac),
        head(offer(answering).ticket, 'A'.repeat(43)),
        head(used.ticket, hmac, 'GET'),
        'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
        'POST / HTTP/1.1\r\nHost: x\r\nExpect: other\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
      ].map((bytes) => exchange(server, bytes)),
    );
    expect(new Set(answers)).toEqual(new Set([notFound]));
  });

  it('is one of a bounded number', async () => {
    const { client, offer, requestId } = await openDataPort({ limits: { ticketsMax: 2 } });
    const [first] = [offer(answering), offer(answering)];
    expect(() => offer(answering)).toThrow(BusyError);
    if (first) await text((await client.transfer(first, requestId)).body);
    expect(offer(answering).ticket).toHaveLength(43);
  });
});

describe('a connection', () => {
  it.each([
    ['nothing', ''],
    ['half a head', 'POST /data/x HTTP/1.1\r\nHost: x\r\n'],
  ])('that sends %s is closed without an answer', async (_what, bytes) => {
    const { server } = await openDataPort({ limits: { headMs: 100 } });
    expect(await exchange(server, bytes)).toBe('');
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a head of 100 KB', `POST / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ])('that sends %s is closed without an answer', async (_what, bytes) => {
    const { server } = await openDataPort();
    expect(await exchange(server, bytes)).toBe('');
  });

  it('beyond the limit is closed at once', async () => {
    const { server } = await openDataPort({ limits: { connectionsMax: 1 } });
    const first = open(server);
    await once(first, 'connect');
    expect(await exchange(server, '')).toBe('');
    expect(first.closed).toBe(false);
    first.destroy();
  });
});

describe('a lost connection', () => {
  it('aborts the signal of the handler, and ends its body', async () => {
    const { client, offer, requestId, server } = await openDataPort();
    const [aborted, left, ended] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
    async function* waiting(signal: AbortSignal) {
      try {
        yield Buffer.from('first');
        await once(signal, 'abort');
      } finally {
        left();
      }
    }
    const made = offer(
      async ({ signal }) => {
        signal.addEventListener('abort', aborted);
        return { body: waiting(signal) };
      },
      { ended },
    );
    const { body } = await client.transfer(made, requestId);
    await once(body, 'readable');
    expect(server.figures.openTransfers).toBe(1);
    body.destroy();
    await eventually(() => expect([aborted, left, ended].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]));
    expect(server.figures.openTransfers).toBe(0);
  });

  it('ends a transfer whose handler has not answered, and the body of a late answer', async () => {
    const { client, offer, requestId } = await openDataPort();
    const [ended, left] = [vi.fn<() => void>(), vi.fn<() => Promise<IteratorResult<Uint8Array>>>()];
    let answer = (): void => {};
    const begun = vi.fn<() => void>();
    const made = offer(
      () =>
        new Promise((resolve) => {
          begun();
          const body = { [Symbol.asyncIterator]: () => ({ next: left, return: left }) };
          answer = () => resolve({ body });
        }),
      { ended },
    );
    const client1 = new AbortController();
    const outcome = client.transfer(made, requestId, { signal: client1.signal }).catch((error: unknown) => error);
    await eventually(() => expect(begun).toHaveBeenCalledOnce());
    client1.abort();
    expect(await outcome).toMatchObject({ reason: 'cancelled' });
    await eventually(() => expect(ended).toHaveBeenCalledOnce());
    answer();
    await eventually(() => expect(left).toHaveBeenCalledOnce());
  });
});

describe('E8 a stop', () => {
  it('lets transfers go on, takes the tickets of offers that were made, and makes no further ones', async () => {
    const { client, offer, requestId, server } = await openDataPort();
    let go = (): void => {};
    const going = new Promise<void>((resolve) => (go = resolve));
    async function* pieces() {
      yield Buffer.from('one ');
      await going;
      yield Buffer.from('two');
    }
    const { body } = await client.transfer(
      offer(async () => ({ body: pieces() })),
      requestId,
    );
    let endCalls = (): void => {};
    const callsEnded = new Promise<void>((resolve) => (endCalls = resolve));
    const stopped = server.stop(60_000, callsEnded);
    // A call in flight makes its offer.
    const made = offer(async () => ({ body: piecesOf('late') }));
    endCalls();
    await turn();
    expect(() => offer(answering)).toThrow(UnavailableError);
    expect(await text((await client.transfer(made, requestId)).body)).toBe('late');
    go();
    expect(await text(body)).toBe('one two');
    await stopped;
    expect(server.isListening).toBe(false);
  });

  it('ends what an unused ticket was for when its time is up', async () => {
    const { offer, server } = await openDataPort();
    const ended = vi.fn<() => void>();
    offer(answering, { ended });
    await server.stop(1);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('cuts what is not done in time', async () => {
    const { client, offer, requestId, server } = await openDataPort();
    async function* endless({ signal }: { signal: AbortSignal }) {
      yield Buffer.from('one');
      await once(signal, 'abort');
    }
    const { body } = await client.transfer(
      offer(async (request) => ({ body: endless(request) })),
      requestId,
    );
    await server.stop(1);
    await expect(text(body)).rejects.toMatchObject({ reason: 'cut' });
  });
});

describe('an answer that is given before the body was read', () => {
  const [pieces, pieceBytes] = [64, 65_536];

  it('arrives', async () => {
    const { server, client, requestId, offer } = await openDataPort();
    const body = async function* () {
      for (let piece = 0; piece < pieces; piece += 1) yield Buffer.alloc(pieceBytes);
    };
    for (let round = 0; round < 10; round += 1) {
      const made = offer(async () => ({ body: piecesOf('early') }));
      const answer = await client.transfer(made, requestId, { body: body() });
      expect(await text(answer.body)).toBe('early');
    }
    await eventually(() => expect(server.figures.openTransfers).toBe(0));
  });
});

it('E4 an answer to a part of the body leaves the connection to the next transfer', async () => {
  const { client, offer, requestId } = await openDataPort();
  const parts = Array.from({ length: 4 }, () => 'x'.repeat(65_536));
  const made = offer(async ({ body }) => {
    await body[Symbol.asyncIterator]().next();
    return { body: piecesOf('early') };
  });
  const first = await client.transfer(made, requestId, { body: piecesOf(...parts) });
  expect(await text(first.body)).toBe('early');
  const second = await client.transfer(
    offer(async ({ body }) => ({ body })),
    requestId,
    { body: piecesOf('whole') },
  );
  expect(await text(second.body)).toBe('whole');
});

it('D12 an offer is withdrawn by its signal', async () => {
  const { server, client, requestId, offer } = await openDataPort();
  const withdrawn = new AbortController();
  const ended = vi.fn<() => void>();
  const made = offer(answering, { signal: withdrawn.signal, ended });
  withdrawn.abort();
  expect([ended.mock.calls.length, server.figures.openTickets]).toEqual([1, 0]);
  await expect(client.transfer(made, requestId)).rejects.toMatchObject({ reason: 'refused' });
});

it('a transfer is cut off by the signal of its offer', async () => {
  const { client, requestId, offer } = await openDataPort();
  const cut = new AbortController();
  const ended = vi.fn<() => void>();
  const waiting = async function* ({ signal }: { signal: AbortSignal }) {
    yield Buffer.from('first');
    await once(signal, 'abort');
  };
  const made = offer(async (request) => ({ body: waiting(request) }), { signal: cut.signal, ended });
  const { body } = await client.transfer(made, requestId);
  const outcome = text(body);
  cut.abort();
  await expect(outcome).rejects.toMatchObject({ reason: 'cut' });
  await eventually(() => expect(ended).toHaveBeenCalledOnce());
});
