import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { signData } from './data-protocol.ts';
import { dataCertificate, dataCertificateKey } from './testing/data-certificate.ts';
import { openDataPort, piecesOf, vaultOf } from './testing/open-data-port.ts';

const eventually = <T>(attempt: () => T | Promise<T>) => vi.waitFor(attempt, { timeout: 20_000 });

const total = 256 * 2 ** 20;

/** Returns pieces of `total` bytes together, and how many bytes of them have been asked for. */
function countedPieces() {
  let produced = 0;
  async function* pieces() {
    while (produced < total) {
      produced += 65_536;
      yield Buffer.alloc(65_536);
    }
  }
  return { pieces, produced: () => produced };
}

describe('a transfer', () => {
  it('carries the bytes of both ends, with status and headers', async () => {
    const { server, client, offer, requestId } = await openDataPort();
    const received: string[] = [];
    const made = offer(async ({ body }) => {
      received.push(await text(body));
      return { status: 207, headers: { 'X-Kind': 'pack', 'Content-Length': '1' }, body: piecesOf('one ', 'two') };
    });
    const answer = await client.transfer(made, requestId, { body: piecesOf('sent ', 'in pieces') });
    expect(answer).toMatchObject({ status: 207, headers: { 'x-kind': 'pack' } });
    expect(await text(answer.body)).toBe('one two');
    expect(received).toEqual(['sent in pieces']);
    expect(server.figures).toMatchObject({ bytesIn: 14, bytesOut: 7, refused: 0, openTickets: 0 });
  });

  it('leaves its connection to the next one', async () => {
    const { client, offer, requestId } = await openDataPort({ limits: { connectionsMax: 1 } });
    for (const word of ['first', 'second', 'third']) {
      const { body } = await client.transfer(
        offer(async () => ({ body: piecesOf(word) })),
        requestId,
      );
      expect(await text(body)).toBe(word);
    }
  });

  it('begins before its body does', async () => {
    const { client, offer, requestId } = await openDataPort({ limits: { headMs: 500 } });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    async function* late() {
      await begun;
      yield Buffer.from('late');
    }
    const made = offer(async ({ body }) => {
      begin();
      return { body };
    });
    const answer = await client.transfer(made, requestId, { body: late() });
    expect(await text(answer.body)).toBe('late');
  });

  it('may be answered before its body was read', async () => {
    const { client, offer, requestId } = await openDataPort();
    const ends: string[] = [];
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        ends.push('left');
      }
    }
    const made = offer(async () => ({ status: 409, body: piecesOf() }));
    const outcome = client.transfer(made, requestId, { body: endless() }).then(
      async ({ status, body }) => [status, (await buffer(body)).length],
      (error: unknown) => error,
    );
    // The end of the connection may overtake the answer.
    expect([[409, 0], expect.objectContaining({ reason: 'cut' })]).toContainEqual(await outcome);
    await eventually(() => expect(ends).toEqual(['left']));
  });

  it('is read no faster than its reader takes it, and ends when that takes nothing', async () => {
    const { client, offer, requestId } = await openDataPort();
    const { pieces, produced } = countedPieces();
    const ended = vi.fn<() => void>();
    const made = offer(async () => ({ body: pieces() }), { idleMs: 300, ended });
    const outcome = client.transfer(made, requestId).then(async ({ body }) => {
      await eventually(() => expect(ended).toHaveBeenCalledOnce());
      return buffer(body);
    });
    await expect(outcome).rejects.toMatchObject({ reason: 'cut' });
    // What sockets and streams hold is a few megabytes at most.
    expect(produced()).toBeLessThan(total / 4);
  });

  it('is written no faster than its handler takes it', async () => {
    const { client, offer, requestId } = await openDataPort();
    const { pieces, produced } = countedPieces();
    const made = offer(() => new Promise(() => {}));
    await expect(client.transfer(made, requestId, { body: pieces(), idleMs: 300 })).rejects.toMatchObject({
      reason: 'idle',
    });
    expect(produced()).toBeLessThan(total / 4);
  });
});

describe('a transfer over TLS', () => {
  const tls = { cert: dataCertificate, key: dataCertificateKey };

  it.each(['address', 'name'] as const)('trusts the configured certificate for an %s', async (kind) => {
    const own = { ca: dataCertificate, lookUp: async () => ['127.0.0.1'] };
    const first = await openDataPort({ tls }, own);
    const { port } = new URL(first.server.address);
    // A name is announced by a second offer of the same port, since the port is known once the server listens.
    const url = kind === 'name' ? `https://worker.example:${port}` : first.server.address;
    if (kind === 'name') await first.server.stop(0);
    const { client, offer, requestId } =
      kind === 'name' ? await openDataPort({ tls, url, port: Number(port) }, own) : first;
    const made = offer(async () => ({ body: piecesOf('over TLS') }));
    expect(made.address).toBe(url);
    expect(await text((await client.transfer(made, requestId)).body)).toBe('over TLS');
  });

  it('is refused when the certificate is not trusted', async () => {
    const { server, client, offer, requestId } = await openDataPort({ tls });
    const made = offer(async () => ({ body: piecesOf('x') }));
    await expect(client.transfer(made, requestId)).rejects.toMatchObject({ reason: 'unreachable' });
    expect(server.figures).toMatchObject({ openTickets: 1 });
  });

  it('is refused when the certificate is for another name, even if it is for the address', async () => {
    const { server, client, requestId } = await openDataPort(
      { tls },
      { ca: dataCertificate, lookUp: async () => ['127.0.0.1'] },
    );
    const { port } = new URL(server.address);
    const unsigned = { address: `https://other.example:${port}`, ticket: 'A'.repeat(43), expiresMs: 60_000 };
    const made = { ...unsigned, hmac: signData(vaultOf('secret'), 'offer', unsigned, requestId) };
    await expect(client.transfer(made, requestId)).rejects.toMatchObject({ reason: 'unreachable' });
    expect(server.figures.refused).toBe(0);
  });
});
