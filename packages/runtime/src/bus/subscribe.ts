import type { Msg, NatsConnection, Subscription } from 'nats';
import type { Logger } from '../logger.ts';

/** Subscribes so that a throw is logged: left to itself it would make the whole connection deaf. */
export function subscribe(
  nc: NatsConnection,
  subject: string,
  logger: Logger,
  heard: (message: Msg) => void,
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
        heard(message);
      } catch (thrown) {
        logger.error({ err: thrown, subject }, 'listener failed');
      }
    },
  });
}
