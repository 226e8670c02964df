import { connect, Events, type Msg, type NatsConnection, type Status } from 'nats';
import { withTimeout } from '../concurrency/waits.ts';
import type { Logger } from '../logger.ts';
import { Listeners } from './listeners.ts';
import { Outbox } from './outbox.ts';
import { PendingRequests } from './pending-requests.ts';
import { serverOptions } from './servers.ts';
import { cancelStream, natsStreamLink, type StreamLink } from './streams-of-0.1/stream-link.ts';

/** Less than what is left of a stop, and than the time after which a frozen server counts as lost. */
const drainMsMax = 2_000;

export interface ConnectionOptions {
  readonly url: string;
  readonly name: string;
  /** Prefix of reply subjects. */
  readonly inboxPrefix: string;
  readonly logger: Logger;
}

export interface ConnectionEvents {
  /** Called when the server announces that it will stop and close its connections. */
  readonly onServerStopping: (connection: BusConnection) => void;
  readonly onReconnect: () => void;
}

/** One connection to a server of the bus, with what is lost together with it. */
export class BusConnection {
  readonly nc: NatsConnection;
  readonly link: StreamLink;
  readonly requests: PendingRequests;
  readonly outbox: Outbox;
  readonly #logger: Logger;
  readonly #lost: Listeners;
  #isConnected = true;
  #uses = 0;
  #isRetired = false;
  #payloadBytesMax = 0;

  constructor(nc: NatsConnection, { inboxPrefix, logger }: ConnectionOptions, events: ConnectionEvents) {
    this.nc = nc;
    this.#logger = logger;
    this.#lost = new Listeners(logger);
    this.outbox = new Outbox(this, (err) => logger.error({ err }, 'the refusal of a message could not be told'));
    this.link = natsStreamLink({ connection: this, inboxPrefix, logger });
    const takeLate = (message: Msg) => cancelStream(message, this.link);
    this.requests = new PendingRequests({ nc, inboxPrefix, logger, takeLate });
    void this.#watch(events);
    void nc.closed().then(() => this.#lose());
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Identity of the server; empty while the connection is down. */
  get serverId(): string {
    return this.nc.info?.server_id ?? '';
  }

  /** The server's `max_payload`, as last announced. */
  get payloadBytesMax(): number {
    // While the connection is down the NATS client has no information about the server.
    return (this.#payloadBytesMax = this.nc.info?.max_payload ?? this.#payloadBytesMax);
  }

  /** Calls back once at the next loss of the connection, unless the returned function was called before. */
  onLost(callback: () => void): () => void {
    return this.#lost.add(callback);
  }

  /** Keeps a retired connection open until the returned function is called. */
  hold(): () => void {
    let isHeld = true;
    this.#uses += 1;
    return () => {
      if (isHeld) this.#uses -= 1;
      isHeld = false;
      this.#closeIfUnused();
    };
  }

  /** Closes the connection when nothing uses it any more, and does not open it again when it is lost. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  async close(): Promise<void> {
    this.outbox.flush();
    // Draining waits for the server. Clients whose calls wait for workers are answered after it, before the process ends.
    if (this.#isConnected && !this.nc.isClosed()) {
      await withTimeout(
        this.nc.drain().catch(() => {}),
        drainMsMax,
        () => {},
      );
    }
    // A drain that is cut off by the loss of the connection leaves it to be opened again.
    await this.nc.close();
  }

  #closeIfUnused(): void {
    if (this.#isRetired && this.#uses === 0 && !this.nc.isDraining() && !this.nc.isClosed())
      this.#closeBehind(this.close());
  }

  #lose(): void {
    this.#isConnected = false;
    this.requests.failAll('lost');
    this.#lost.tell({ forgets: true });
    if (this.#isRetired) this.#closeBehind(this.nc.close());
  }

  #closeBehind(closing: Promise<void>): void {
    closing.catch((error: unknown) => this.#logger.warn({ err: error }, 'a connection to the bus did not close'));
  }

  async #watch(events: ConnectionEvents): Promise<void> {
    for await (const status of this.nc.status()) {
      // A failure of one event must not end the loop.
      try {
        this.#handle(status, events);
      } catch (error) {
        this.#logger.error({ err: error }, 'an event of the bus could not be handled');
      }
    }
  }

  #handle({ type, permissionContext }: Status, { onServerStopping, onReconnect }: ConnectionEvents): void {
    if (type === Events.Disconnect) {
      if (!this.#isRetired) this.#logger.warn('bus connection lost');
      this.#lose();
    } else if (type === Events.Reconnect) {
      this.#isConnected = true;
      this.#logger.info('bus connection restored');
      onReconnect();
    } else if (type === Events.LDM) onServerStopping(this);
    else if (permissionContext?.operation === 'publish') this.requests.failAll('lost', permissionContext.subject);
  }
}

/** Connects to any server of the list or of `further`. The connection and every reconnection are tried without a limit. */
export async function openConnection(
  options: ConnectionOptions,
  events: ConnectionEvents,
  further: readonly string[] = [],
): Promise<BusConnection> {
  const { servers, ...login } = serverOptions(options.url);
  const nc = await connect({
    ...login,
    servers: [...new Set([...servers, ...further])],
    name: options.name,
    inboxPrefix: options.inboxPrefix,
    // After two unanswered pings in a row the connection counts as lost. The server pings its clients with the same
    // limits (`ping_interval` and `ping_max` in nats-server.conf).
    pingInterval: 5_000,
    maxPingOut: 2,
    // Limit of one attempt to connect: a frozen server still accepts TCP connections, and the next one must be tried.
    timeout: 5_000,
    reconnectTimeWait: 50,
    reconnectJitter: 50,
    // A second by default.
    reconnectJitterTLS: 50,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    // The two stack traces that the client would record for each request cost a tenth of the request's time.
    noAsyncTraces: true,
  });
  return new BusConnection(nc, options, events);
}
