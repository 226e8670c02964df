import type { Msg, NatsConnection, Subscription } from 'nats';
import type { Logger } from '../logger.ts';

/** Functions that are told of the events of a connection. Their errors are logged: uncaught, one would end the process. */
export class Listeners {
  readonly #logger: Pick<Logger, 'error'>;
  readonly #callbacks = new Set<() => void>();

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger;
  }

  /** Adds a callback, until the returned function is called. */
  add(callback: () => void): () => void {
    this.#callbacks.add(callback);
    return () => void this.#callbacks.delete(callback);
  }

  /** Calls those that are there now; for the last time, if it `forgets` them. */
  tell({ forgets = false } = {}): void {
    const callbacks = [...this.#callbacks];
    if (forgets) this.#callbacks.clear();
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        this.#logger.error({ err: error }, 'a listener of the bus failed');
      }
    }
  }
}

/** Subscribes with a callback whose errors are logged: an uncaught error would end all subscriptions of `nc`. */
export function subscribe(
  nc: NatsConnection,
  subject: string,
  logger: Logger,
  onMessage: (message: Msg) => void,
  options: { queue?: string } = {},
): Subscription {
  return nc.subscribe(subject, {
    ...options,
    callback: (error, message) => {
      if (error) {
        logger.error({ err: error, subject }, 'subscription error');
        return;
      }
      try {
        onMessage(message);
      } catch (thrown) {
        logger.error({ err: thrown, subject }, 'listener failed');
      }
    },
  });
}
