import type { Msg, NatsConnection, Subscription } from 'nats';
import type { Logger } from '../logger.ts';

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
