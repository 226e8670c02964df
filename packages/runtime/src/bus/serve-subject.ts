import {
  encodeError,
  errorHeader,
  InternalError,
  OperationFailedError,
  UnavailableError,
  type WorkerReply,
} from '@trunkline/contracts';
import { headers, type Msg, type NatsConnection } from 'nats';
import type { Logger } from '../logger.ts';

export interface ServeOptions {
  /** Members of one group share the requests; every subscriber without one gets them all. */
  readonly queue?: string;
  /** After this long the requester is answered and the signal fires, whatever the handler does. */
  readonly timeLimitMs: number;
  /** What he is answered then; that the service is unavailable when absent. */
  readonly lateReply?: (payload: Uint8Array) => WorkerReply;
  readonly handle: (payload: Uint8Array, signal: AbortSignal) => Promise<WorkerReply>;
}

export interface Service {
  readonly inFlight: number;
  /** Takes no new request and resolves when every one begun has been answered. */
  drain(): Promise<void>;
}

function respond(nc: NatsConnection, message: Msg, reply: WorkerReply): void {
  const limit = nc.info?.max_payload ?? 0;
  if (reply.payload.length > limit) {
    const text = `The answer is too large (${reply.payload.length} bytes, the limit is ${limit})`;
    respond(nc, message, encodeError(new OperationFailedError(text)));
    return;
  }
  if (reply.errorCode === null) {
    message.respond(reply.payload);
    return;
  }
  const named = headers();
  named.set(errorHeader, reply.errorCode);
  message.respond(reply.payload, { headers: named });
}

/** The handler's reply, or an error reply when it throws or is late. Never rejects. */
async function answer(options: ServeOptions, payload: Uint8Array, logger: Logger): Promise<WorkerReply> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<WorkerReply>((resolve) => {
    timer = setTimeout(() => {
      limit.abort();
      resolve(options.lateReply?.(payload) ?? encodeError(new UnavailableError()));
    }, options.timeLimitMs);
  });
  try {
    return await Promise.race([options.handle(payload, limit.signal), late]);
  } catch (error) {
    logger.error({ err: error }, 'request handler failed');
    return encodeError(new InternalError());
  } finally {
    clearTimeout(timer);
  }
}

/** Subscribes one subject. Every request is answered exactly once, even by a handler that throws at once. */
export function serveSubject(nc: NatsConnection, subject: string, options: ServeOptions, logger: Logger): Service {
  let inFlight = 0;
  let idle: (() => void) | undefined;

  const take = async (message: Msg): Promise<void> => {
    inFlight += 1;
    try {
      respond(nc, message, await answer(options, message.data, logger));
    } catch (error) {
      logger.error({ err: error, subject }, 'reply could not be sent');
    } finally {
      inFlight -= 1;
      if (inFlight === 0) idle?.();
    }
  };

  const subscription = nc.subscribe(subject, {
    ...(options.queue === undefined ? {} : { queue: options.queue }),
    callback: (error, message) => {
      if (error) logger.error({ err: error, subject }, 'subscription error');
      else void take(message);
    },
  });

  return {
    get inFlight() {
      return inFlight;
    },
    async drain() {
      if (!nc.isClosed()) await subscription.drain();
      if (inFlight > 0) await new Promise<void>((resolve) => (idle = resolve));
    },
  };
}
