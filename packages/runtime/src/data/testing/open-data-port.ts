import { createHmac, randomUUID } from 'node:crypto';
import type { DataOffer } from '@trunkline/contracts';
import { onTestFinished } from 'vitest';
import { DataClient, type DataClientOptions } from '../data-client.ts';
import type { DataVault } from '../data-protocol.ts';
import { startDataServer, type DataServerOptions, type OfferOptions } from '../data-server.ts';
import type { DataHandler } from '../serve-transfer.ts';

export function vaultOf(secret: string): DataVault {
  const hmac = (purpose: string, content: string) =>
    createHmac('sha256', secret).update(purpose).update(content).digest();
  return { hmac, hmacs: (purpose, content) => [hmac(purpose, content)] };
}

export async function* piecesOf(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

export const logger = { warn: () => {}, error: () => {} };

/** Creates a client, by default one that may connect to this machine. */
export function createTestClient(options: Partial<DataClientOptions> = {}): DataClient {
  const client = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault: vaultOf('secret'), ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Starts a data port and a client; `offer` makes an offer for the request `requestId`. */
export async function openDataPort(options: Partial<DataServerOptions> = {}, client: Partial<DataClientOptions> = {}) {
  const vault = vaultOf('secret');
  const server = await startDataServer({
    host: '127.0.0.1',
    port: 0,
    url: null,
    tls: null,
    vault,
    logger,
    ...options,
    // Generous for busy machines.
    limits: { ticketMs: 60_000, ...options.limits },
  });
  onTestFinished(() => server.stop(0));
  const requestId = randomUUID();
  return {
    server,
    client: createTestClient(client),
    requestId,
    offer: (handler: DataHandler, own?: OfferOptions): DataOffer => server.offer(requestId, handler, own),
  };
}
