import type { Msg, Subscription } from 'nats';
import type { Logger } from '../logger.ts';
import type { BusConnection } from './connection.ts';
import { subscribe } from './listeners.ts';

/** Handles a message; `connection` is the one on which it has come. */
export type OnMessage = (message: Msg, connection: BusConnection) => void;

export interface SubscriptionOptions {
  readonly subject: string;
  /** The queue group, whose members share the messages. */
  readonly queue?: string | undefined;
  readonly onMessage: OnMessage;
  readonly logger: Logger;
}

interface Part {
  readonly connection: BusConnection;
  readonly subscription: Subscription;
}

/** Ends one part when all messages that its server has sent were handled. */
async function drainPart({ connection, subscription }: Part): Promise<void> {
  if (!connection.nc.isClosed() && !subscription.isClosed()) await subscription.drain();
}

/** A subscription that moves from one connection to the next. */
export class LastingSubscription {
  readonly #options: SubscriptionOptions;
  /** The former part, while it is being drained. */
  #former: Promise<void> | undefined;
  #part: Part;
  #isDraining = false;

  constructor(options: SubscriptionOptions, connection: BusConnection) {
    this.#options = options;
    this.#part = this.#subscribeOn(connection);
  }

  /** False when the server has refused the subscription, and after a drain. */
  get isSubscribed(): boolean {
    return !this.#isDraining && !this.#part.subscription.isClosed();
  }

  /**
   * Subscribes on another connection, too. Messages of the former one's server are still handled after `isTaken`,
   * when the other server has the subscription; then the former part ends, and the returned promise resolves.
   */
  async moveTo(connection: BusConnection, isTaken: Promise<unknown>): Promise<void> {
    if (this.#isDraining) return;
    const former = this.#part;
    this.#part = this.#subscribeOn(connection);
    this.#former = isTaken.then(() => drainPart(former));
    await this.#former;
  }

  /** Ends the subscription when all messages that the server has sent were handled. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all([this.#former, drainPart(this.#part)]);
  }

  #subscribeOn(connection: BusConnection): Part {
    const { subject, queue, onMessage, logger } = this.#options;
    const take = (message: Msg) => onMessage(message, connection);
    const subscription = subscribe(connection.nc, subject, logger, take, queue === undefined ? {} : { queue });
    return { connection, subscription };
  }
}
