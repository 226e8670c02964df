import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type DataError, signData } from './data-protocol.ts';
import { createTestClient, openDataPort, piecesOf, vaultOf } from './testing/open-data-port.ts';

const requestId = randomUUID();

/** Signs an offer for an address, as a worker would. */
function offerOf(address: string, expiresMs = 5_000) {
  const unsigned = { address, ticket: 'A'.repeat(43), expiresMs };
  return { ...unsigned, hmac: signData(vaultOf('secret'), 'offer', unsigned, requestId) };
}

/** Starts an HTTP server that answers as it likes, and returns a signed offer of it. */
async function standIn(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  return offerOf(`http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`);
}

describe('F2 an offer', () => {
  it('that is not signed, or was made for another request, is refused before anything is connected', async () => {
    const { client, server, offer, requestId } = await openDataPort();
    const made = offer(async () => ({ body: piecesOf('x') }));
    const forged = [
      { ...made, address: 'http://127.0.0.1:1' },
      { ...made, ticket: 'A'.repeat(43) },
      { ...made, expiresMs: made.expiresMs + 1 },
      { ...made, hmac: signData(vaultOf('another'), 'offer', made, requestId) },
      { ...made, hmac: signData(vaultOf('secret'), 'ticket', made, requestId) },
    ];
    for (const one of forged) {
      await expect(client.transfer(one, requestId)).rejects.toMatchObject({ reason: 'forged' });
    }
    await expect(client.transfer(made, randomUUID())).rejects.toMatchObject({ reason: 'forged' });
    expect(server.figures).toMatchObject({ refused: 0, openTickets: 1 });
  });

  it.each(['http://10.0.0.1:80', 'http://[::1]:80', 'http://169.254.169.254', 'http://[::ffff:10.0.0.1]:80'])(
    'of %s, which is not within the networks, is refused',
    async (address) => {
      await expect(createTestClient().transfer(offerOf(address), requestId)).rejects.toMatchObject({
        reason: 'address-refused',
      });
    },
  );

  it('of a name goes to the first of its addresses within the networks', async () => {
    const { server } = await openDataPort();
    const { port } = new URL(server.address);
    const lookUp = vi.fn<() => Promise<string[]>>(async () => ['10.0.0.1', '127.0.0.1']);
    const client = createTestClient({ lookUp });
    const transfer = client.transfer(offerOf(`http://worker.example:${port}`), requestId);
    // The port has not made this offer.
    await expect(transfer).rejects.toMatchObject({ reason: 'refused' });
    expect(server.figures.refused).toBe(1);
    expect(lookUp).toHaveBeenCalledOnce();
  });

  it.each([
    ['address-refused', async () => ['10.0.0.1', '::1']],
    ['unknown-host', () => Promise.reject(new Error('no such name'))],
    ['unknown-host', () => new Promise<string[]>(() => {})],
  ] as const)('of a name is refused: %s', async (reason, lookUp) => {
    const client = createTestClient({ lookUp });
    await expect(client.transfer(offerOf('http://worker.example', 100), requestId)).rejects.toMatchObject({ reason });
  });

  it('of a port on which nobody listens is unreachable', async () => {
    const transfer = createTestClient().transfer(offerOf('http://127.0.0.1:1'), requestId);
    await expect(transfer).rejects.toMatchObject({ reason: 'unreachable' });
  });
});

describe('an answer', () => {
  it('that does not announce its end is that of no handler', async () => {
    const offer = await standIn((response) => response.end('hello'));
    await expect(createTestClient().transfer(offer, requestId)).rejects.toMatchObject({ reason: 'refused' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['without the trailer', (response) => response.end('all of it')],
    [
      'with the trailer `cut`',
      (response) => {
        response.write('a part');
        response.addTrailers({ 'Trunkline-End': 'cut' });
        response.end();
      },
    ],
    [
      'whose connection is lost',
      (response) => {
        response.write('a part');
        setImmediate(() => response.destroy());
      },
    ],
  ])('%s is an error', async (_what, answer) => {
    const offer = await standIn((response) => {
      response.writeHead(200, { Trailer: 'Trunkline-End' }).flushHeaders();
      answer(response);
    });
    const outcome = createTestClient()
      .transfer(offer, requestId)
      .then(({ body }) => text(body));
    await expect(outcome).rejects.toMatchObject({ reason: 'cut' });
  });

  it.each(['handler', 'body'] as const)('whose %s fails is an error, and its connection is kept', async (what) => {
    const { client, offer, requestId } = await openDataPort({ limits: { connectionsMax: 1 } });
    async function* failing() {
      yield Buffer.from('a part');
      throw new Error('disk failed');
    }
    const made = offer(async () => {
      if (what === 'handler') throw new Error('disk failed');
      return { body: failing() };
    });
    const { status, body } = await client.transfer(made, requestId);
    expect(status).toBe(what === 'handler' ? 500 : 200);
    await expect(text(body)).rejects.toMatchObject({ reason: 'cut' });
    const next = offer(async () => ({ body: piecesOf('next') }));
    expect(await text((await client.transfer(next, requestId)).body)).toBe('next');
  });

  it('with more bytes than allowed is an error', async () => {
    const { client, offer, requestId } = await openDataPort();
    const made = offer(async () => ({ body: piecesOf('12345', '6') }));
    const { body } = await client.transfer(made, requestId, { bytesMax: 5 });
    await expect(text(body)).rejects.toMatchObject({ reason: 'too-large' });
  });
});

describe('a transfer', () => {
  const silent = () => standIn(() => {});

  it('that takes too long is ended', async () => {
    await expect(createTestClient().transfer(await silent(), requestId, { totalMs: 50 })).rejects.toMatchObject({
      reason: 'late',
    });
  });

  it('F8 without a byte for too long is ended', async () => {
    await expect(createTestClient().transfer(await silent(), requestId, { idleMs: 50 })).rejects.toMatchObject({
      reason: 'idle',
    });
  });

  it('that is cancelled ends at once, also while its answer is read', async () => {
    const { client, offer, requestId: own } = await openDataPort();
    const aborted = AbortSignal.abort();
    await expect(client.transfer(offerOf('http://127.0.0.1:1'), requestId, { signal: aborted })).rejects.toMatchObject({
      reason: 'cancelled',
    });
    const controller = new AbortController();
    const ended = vi.fn<() => void>();
    async function* waiting(signal: AbortSignal) {
      yield Buffer.from('first');
      await once(signal, 'abort');
    }
    const made = offer(async ({ signal }) => ({ body: waiting(signal) }), { ended });
    const { body } = await client.transfer(made, own, { signal: controller.signal });
    await once(body, 'readable');
    controller.abort();
    await expect(text(body)).rejects.toMatchObject({ reason: 'cancelled' });
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), { timeout: 20_000 });
  });

  it('whose own body fails is ended', async () => {
    const { client, offer, requestId: own } = await openDataPort();
    let begun = (): void => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    async function* failing() {
      yield Buffer.from('a part');
      await beginning;
      throw new Error('source failed');
    }
    const seen: unknown[] = [];
    const made = offer(async ({ body }) => {
      begun();
      await text(body).catch((error: unknown) => seen.push(error));
      return { body: piecesOf() };
    });
    await expect(client.transfer(made, own, { body: failing() })).rejects.toMatchObject({ reason: 'cut' });
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 20_000 });
  });
});

it('E6 leaves others half of the transfers with a port, and all of them', async () => {
  const { client, server, requestId, offer } = await openDataPort();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const silent = () => new Promise<never>(() => {});
  const begin = (caller?: string) => {
    const made = client.transfer(offer(silent), requestId, {
      signal: stop.signal,
      ...(caller !== undefined && { caller }),
    });
    return made.catch((error: unknown) => error);
  };
  const own = Array.from({ length: 256 }, () => begin('ann'));
  await vi.waitFor(() => expect(server.figures.openTransfers).toBe(256), { timeout: 20_000 });
  expect(await begin('ann')).toMatchObject({ reason: 'busy' });
  own.push(begin('bob'), begin());
  await vi.waitFor(() => expect(server.figures.openTransfers).toBe(258), { timeout: 20_000 });
  stop.abort();
  expect((await Promise.all(own)).every((error) => (error as DataError).reason === 'cancelled')).toBe(true);
});

it('E6 leaves a share of a port for large answers, however many other transfers several callers have', async () => {
  const { client, server, requestId, offer } = await openDataPort();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const silent = () => new Promise<never>(() => {});
  const begin = (caller: string, isAnswer = false) =>
    client
      .transfer(offer(silent), requestId, { signal: stop.signal, caller, isAnswer })
      .catch((error: unknown) => error);
  const own = ['ann', 'bob'].flatMap((caller) => Array.from({ length: 256 }, () => begin(caller)));
  // The last one is for a caller who has none.
  own.push(begin('eve'));
  await vi.waitFor(() => expect(server.figures.openTransfers).toBe(512), { timeout: 20_000 });
  expect(await begin('joe')).toMatchObject({ reason: 'busy' });
  const answers = Array.from({ length: 64 }, () => begin('eve', true));
  await vi.waitFor(() => expect(server.figures.openTransfers).toBe(576), { timeout: 20_000 });
  // One caller has half of these, too.
  expect(await begin('eve', true)).toMatchObject({ reason: 'busy' });
  stop.abort();
  await Promise.all([...own, ...answers]);
});
