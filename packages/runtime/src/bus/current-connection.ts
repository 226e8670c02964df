import { openConnection, type BusConnection, type ConnectionOptions } from './connection.ts';
import { Listeners } from './listeners.ts';
import { LastingSubscription, type OnMessage } from './lasting-subscription.ts';

/** Time after the loss of the connection for which requests wait for it to come back. */
const bridgedMs = 1_000;

/**
 * The connection of a process to the bus. When its server announces that it will stop, another connection is opened and
 * all subscriptions move to it before the former one is given up, which ends with the last request on it: a server that
 * is replaced costs no request.
 */
export class CurrentConnection {
  readonly #options: ConnectionOptions;
  readonly #subscriptions = new Set<LastingSubscription>();
  readonly #reconnected: Listeners;
  /** The connection in use, and those that were given up and still have requests. */
  readonly #open = new Set<BusConnection>();
  #current: BusConnection | undefined;
  /** The connection whose server has announced that it will stop. */
  #leaving: BusConnection | undefined;
  #isClosed = false;
  #lostAt = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#reconnected = new Listeners(options.logger);
  }

  async connect(): Promise<void> {
    this.#use(await this.#openOne());
  }

  get current(): BusConnection {
    if (!this.#current) throw new Error('the bus is not connected yet');
    return this.#current;
  }

  /** Calls back after each reconnection, because messages may have been missed meanwhile. */
  onReconnect(callback: () => void): void {
    this.#reconnected.add(callback);
  }

  /** Subscribes, on each connection that is used from now on. */
  subscribe(subject: string, queue: string | undefined, onMessage: OnMessage): LastingSubscription {
    const options = { subject, queue, onMessage, logger: this.#options.logger };
    const subscription = new LastingSubscription(options, this.current);
    this.#subscriptions.add(subscription);
    return subscription;
  }

  /** Returns whether the connection is up, or comes back within a second of its loss: another server takes it at once. */
  async isUpSoon(): Promise<boolean> {
    if (this.current.isConnected) return true;
    const waitMs = this.#lostAt + bridgedMs - performance.now();
    if (this.#isClosed || waitMs <= 0) return false;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        forget();
        resolve(this.current.isConnected);
      };
      const timer = setTimeout(end, waitMs);
      const forget = this.#reconnected.add(end);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  #openOne(further?: readonly string[]): Promise<BusConnection> {
    const onServerStopping = (connection: BusConnection) => void this.#leave(connection);
    return openConnection(this.#options, { onServerStopping, onReconnect: () => this.#reconnected.tell() }, further);
  }

  #use(connection: BusConnection): void {
    this.#open.add(connection);
    this.#current = connection;
    const recordLoss = () => {
      this.#lostAt = performance.now();
      if (connection.nc.isClosed()) this.#open.delete(connection);
      else connection.onLost(recordLoss);
    };
    connection.onLost(recordLoss);
    void connection.nc.closed().then(() => this.#open.delete(connection));
  }

  /** Leaves a server that is about to stop for another one. */
  async #leave(former: BusConnection): Promise<void> {
    const { logger } = this.#options;
    if (this.#leaving === former || this.#isClosed) return;
    this.#leaving = former;
    logger.info('the server of the bus is about to stop: connecting to another one');
    try {
      const { serverId } = former;
      const next = await this.#openOne(former.nc.info?.connect_urls);
      // Without another server, the former connection has come back meanwhile; or the process has stopped.
      const isBack = former.isConnected && former.serverId !== serverId;
      if (this.#isClosed || former !== this.#current || isBack) await next.close();
      else await this.#moveTo(next, former);
    } catch (error) {
      logger.warn({ err: error }, 'the server of the bus is about to stop, and no other one accepts this process');
    } finally {
      this.#leaving = undefined;
    }
  }

  async #moveTo(next: BusConnection, former: BusConnection): Promise<void> {
    // From here on requests go over the new connection; the subscriptions exist on both until the server has them.
    this.#use(next);
    const taken = new Promise<void>((resolve) => {
      // Sent after the subscriptions. When this connection is lost in turn, its client subscribes again by itself.
      queueMicrotask(() => void next.nc.flush().then(resolve, () => resolve()));
    });
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.moveTo(next, taken)));
    former.retire();
    this.#options.logger.info('the bus is used over another server');
  }
}
