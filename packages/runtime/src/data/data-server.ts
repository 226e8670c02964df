import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { BusyError, UnavailableError, type DataOffer } from '@trunkline/contracts';
import { containErrors } from '../contain-errors.ts';
import type { Logger } from '../logger.ts';
import { deferred } from '../concurrency/waits.ts';
import { dataBufferBytes, type DataVault, hmacHeader, isSignedData, signData } from './data-protocol.ts';
import { OpenTickets } from './open-tickets.ts';
import { serveTransfer, type DataHandler, type TransferCounts } from './serve-transfer.ts';

/** Time for which a ticket is valid, and within which a connection has to send a complete head. */
const ticketMs = 5_000;
const headBytesMax = 8_192;
const keepAliveMs = 10_000;
const idleMsDefault = 60_000;

export interface DataServerOptions {
  readonly host: string;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
  /** URL that offers announce; null for that of host and port. */
  readonly url: string | null;
  /** Certificate and key (PEM) of an HTTPS server; null for HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly vault: DataVault;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly limits?: Partial<DataServerLimits>;
}

interface DataServerLimits {
  readonly connectionsMax: number;
  readonly ticketsMax: number;
  readonly ticketMs: number;
  readonly headMs: number;
}

/** Connections for four gateways that have all the transfers that they may have with one port. */
const limitsDefault: DataServerLimits = { connectionsMax: 2_560, ticketsMax: 1_024, ticketMs, headMs: ticketMs };

export interface OfferOptions {
  /** Time without a byte in either direction after which the transfer is ended. */
  readonly idleMs?: number;
  /** Cuts the transfer when it aborts, or lets the ticket expire. */
  readonly signal?: AbortSignal;
  /** Called once: when the transfer has ended, or when the ticket has expired without one. */
  readonly ended?: () => void;
}

interface Held {
  readonly offer: DataOffer;
  readonly requestId: string;
  readonly handler: DataHandler;
  readonly options: OfferOptions;
}

export interface DataServerFigures extends Readonly<TransferCounts> {
  readonly openTickets: number;
  readonly openTransfers: number;
  /** Requests without a valid ticket. */
  readonly refused: number;
}

const pathPattern = /^\/data\/([\w-]{43})$/;

/** The data port of a worker: transfers of bytes over HTTP, each for the holder of a ticket that is valid once. */
export class DataServer {
  readonly #options: DataServerOptions;
  readonly #server: Server;
  readonly #tickets: OpenTickets<Held>;
  readonly #responses = new Set<ServerResponse>();
  readonly #counts = { bytesIn: 0, bytesOut: 0, refused: 0 };
  #address = '';
  #stopping = false;
  #idle: (() => void) | undefined;

  constructor(options: DataServerOptions) {
    this.#options = options;
    const { connectionsMax, headMs, ...limits } = { ...limitsDefault, ...options.limits };
    this.#tickets = new OpenTickets<Held>({ ticketsMax: limits.ticketsMax, lifeMs: limits.ticketMs }, (held) => {
      held.options.ended?.();
      this.#endIfIdle();
    });
    const http = {
      maxHeaderSize: headBytesMax,
      highWaterMark: dataBufferBytes,
      headersTimeout: headMs,
      connectionsCheckingInterval: Math.min(headMs, 1_000),
      keepAliveTimeout: keepAliveMs,
      // A body may take any time, as long as it flows.
      requestTimeout: 0,
    };
    const { tls } = options;
    const server = tls ? createTlsServer({ ...http, ...tls, handshakeTimeout: headMs }) : createServer(http);
    server.maxConnections = connectionsMax;
    const report = (error: unknown) => options.logger.warn({ err: error }, 'transfer was cut off');
    const take = containErrors((request, response) => this.#take(request, response), report);
    server.on('request', take).on('checkContinue', take).on('checkExpectation', take);
    // Without these the server would describe itself in its answers.
    server.on('clientError', (_error, socket) => socket.destroy());
    server.on('upgrade', (_request, socket) => socket.destroy());
    server.on('connect', (_request, socket) => socket.destroy());
    this.#server = server;
  }

  async listen(): Promise<void> {
    const { host, port, url, tls, logger } = this.#options;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => logger.error({ err: error }, 'data port failed'));
    const at = this.#server.address();
    const actual = typeof at === 'object' && at ? at.port : port;
    const authority = host.includes(':') ? `[${host}]:${actual}` : `${host}:${actual}`;
    this.#address = url ?? `${tls ? 'https' : 'http'}://${authority}`;
  }

  /** The announced URL. */
  get address(): string {
    return this.#address;
  }

  get isListening(): boolean {
    return this.#server.listening;
  }

  get figures(): DataServerFigures {
    return { ...this.#counts, openTickets: this.#tickets.size, openTransfers: this.#responses.size };
  }

  /** Offers one transfer to the sender of the request; throws BusyError when too many tickets are open. */
  offer(requestId: string, handler: DataHandler, options: OfferOptions = {}): DataOffer {
    if (this.#stopping) throw new UnavailableError();
    const expiresMs = this.#options.limits?.ticketMs ?? ticketMs;
    const unsigned = { address: this.#address, ticket: randomBytes(32).toString('base64url'), expiresMs };
    const offer = { ...unsigned, hmac: signData(this.#options.vault, 'offer', unsigned, requestId) };
    if (!this.#tickets.add(offer.ticket, { offer, requestId, handler, options }))
      throw new BusyError({ quota: 'transfers' });
    options.signal?.addEventListener('abort', () => this.#tickets.expire(offer.ticket), { once: true });
    return offer;
  }

  /**
   * Offers transfers until `lastOffer` has resolved, since calls that were begun may still make offers, and takes their
   * tickets. Ends when no ticket and no transfer is open any more; cuts what goes on for longer than `transferMsMax`.
   */
  async stop(transferMsMax: number, lastOffer: Promise<unknown> = Promise.resolve()): Promise<void> {
    const timeIsUp = deferred<void>();
    const timer = setTimeout(() => {
      this.#tickets.clear();
      for (const response of this.#responses) response.destroy();
      timeIsUp.resolve();
    }, transferMsMax);
    await Promise.race([lastOffer, timeIsUp.promise]);
    this.#stopping = true;
    const idle = deferred<void>();
    this.#idle = idle.resolve;
    this.#endIfIdle();
    await idle.promise;
    clearTimeout(timer);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #endIfIdle(): void {
    if (this.#responses.size + this.#tickets.size === 0) this.#idle?.();
  }

  #take(request: IncomingMessage, response: ServerResponse): void | Promise<void> {
    response.sendDate = false;
    const held = request.method === 'POST' ? this.#find(request) : undefined;
    return held ? this.#serve(held, request, response) : this.#refuse(request, response);
  }

  /** Returns what the ticket of a request is for; a wrong HMAC does not use the ticket up. */
  #find({ url = '', headers }: IncomingMessage): Held | undefined {
    const ticket = pathPattern.exec(url)?.[1];
    const hmac = headers[hmacHeader.toLowerCase()];
    const held = ticket === undefined ? undefined : this.#tickets.find(ticket);
    if (!held || typeof hmac !== 'string') return undefined;
    const { offer, requestId } = held;
    if (!isSignedData(this.#options.vault, 'ticket', { offer, requestId, hmac })) return undefined;
    this.#tickets.remove(offer.ticket);
    return held;
  }

  /** Gives the same answer to every request without a valid ticket, and reads no body. */
  #refuse(request: IncomingMessage, response: ServerResponse): void {
    this.#counts.refused += 1;
    response.writeHead(404, { 'Content-Length': 0, Connection: 'close' });
    response.end(() => request.socket.destroy());
  }

  async #serve({ handler, options }: Held, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#responses.add(response);
    const cut = () => response.destroy();
    options.signal?.addEventListener('abort', cut, { once: true });
    try {
      options.signal?.throwIfAborted();
      const idleMs = options.idleMs ?? idleMsDefault;
      await serveTransfer({ request, response }, { handler, idleMs, counts: this.#counts });
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'transfer was cut off');
      // An answer that could not even be ended as one that was cut off would keep the connection.
      if (!response.writableEnded) response.destroy();
    } finally {
      this.#responses.delete(response);
      options.signal?.removeEventListener('abort', cut);
      this.#endIfIdle();
      options.ended?.();
    }
  }
}

/** Starts a data port. */
export async function startDataServer(options: DataServerOptions): Promise<DataServer> {
  const server = new DataServer(options);
  await server.listen();
  return server;
}
