import {
  encodeError,
  errorHeader,
  InternalError,
  offerHeader,
  OperationFailedError,
  UnavailableError,
  type WorkerReply,
} from '@trunkline/contracts';
import { headers, type Msg } from 'nats';
import { withTimeout } from '../concurrency/waits.ts';
import type { Logger } from '../logger.ts';
import type { BusConnection } from './connection.ts';
import type { CurrentConnection } from './current-connection.ts';
import { OutgoingStreams, type StreamReply } from './streams-of-0.1/outgoing-streams.ts';

/** Maximum time by which streams that are still being read delay a stop. */
const streamDrainMs = 15_000;

export interface ServeOptions {
  /** The queue group, whose members share the requests; a subscriber without a group gets every message. */
  readonly queue?: string;
  /** Time limit of the handler; then the requester receives `lateReply` and the handler's signal is aborted. */
  readonly timeLimitMs: number;
  /** The reply at the time limit; "unavailable" when absent. */
  readonly lateReply?: (payload: Uint8Array) => WorkerReply;
  /**
   * Returns whether requests stay unanswered for now; for subscribers without a queue group, whose others answer.
   */
  readonly isSilent?: () => boolean;
  /**
   * Computes the reply. A late reply is dropped unread: once `signal` is aborted, the handler must end its stream.
   * `abort` aborts the signal earlier, for a requester who has gone.
   */
  readonly handle: (
    payload: Uint8Array,
    signal: AbortSignal,
    abort: (reason: Error) => void,
  ) => Promise<WorkerReply | StreamReply>;
}

export interface Service {
  readonly inFlight: number;
  /** False when the server has refused the subscription, and after a drain. */
  readonly isSubscribed: boolean;
  /**
   * Stops accepting requests. Resolves when every request in flight is answered and every stream has been read;
   * streams are stopped after `streamMsMax`.
   */
  drain(streamMsMax?: number): Promise<void>;
}

interface Serving {
  readonly connection: Pick<CurrentConnection, 'current' | 'subscribe'>;
  readonly logger: Logger;
}

/** A request, the connection on which it has come, and the one that is in use when it is answered. */
interface Received {
  readonly message: Msg;
  readonly connection: BusConnection;
  readonly current: () => BusConnection;
  readonly onError: (error: unknown) => void;
}

/** Returns the reply, or an error for a reply that the server would not take. */
function fitting({ payloadBytesMax }: BusConnection, reply: WorkerReply): WorkerReply {
  const { length } = reply.payload;
  if (length <= payloadBytesMax) return reply;
  return encodeError(
    new OperationFailedError(`The answer is too large (${length} bytes, the limit is ${payloadBytesMax})`),
  );
}

function headersOf({ errorCode, isOffer }: WorkerReply) {
  if (errorCode === null && isOffer !== true) return undefined;
  const named = headers();
  if (errorCode !== null) named.set(errorHeader, errorCode);
  if (isOffer === true) named.set(offerHeader, 'answer');
  return { headers: named };
}

/** Sends the reply on the request's connection, whose server knows the requester's inbox first, unless that is lost. */
function respond({ message, connection, current, onError }: Received, reply: WorkerReply): void {
  if (!message.reply) return;
  const used = connection.isConnected ? connection : current();
  const sent = fitting(used, reply);
  const options = headersOf(sent);
  used.outbox.publish({ subject: message.reply, payload: sent.payload, options, outlivesLoss: true, onError });
}

/** Returns the handler's reply, or an error reply when the handler throws or is late. Never rejects. */
async function answer(options: ServeOptions, payload: Uint8Array, logger: Logger): Promise<WorkerReply | StreamReply> {
  const limit = new AbortController();
  const abort = (reason: Error) => limit.abort(reason);
  const late = () => {
    limit.abort(new DOMException('the time limit of the call has passed', 'TimeoutError'));
    return options.lateReply?.(payload) ?? encodeError(new UnavailableError());
  };
  try {
    return await withTimeout(options.handle(payload, limit.signal, abort), options.timeLimitMs, late);
  } catch (error) {
    logger.error({ err: error }, 'request handler failed');
    return encodeError(new InternalError());
  }
}

/**
 * Subscribes to one subject. Every request is answered exactly once, even when the handler throws, unless the service is
 * silent.
 */
export function serveSubject({ connection: bus, logger }: Serving, subject: string, options: ServeOptions): Service {
  const streams = new OutgoingStreams(logger, subject);
  let inFlight = 0;
  let idle: (() => void) | undefined;

  const onError = (error: unknown) => logger.error({ err: error, subject }, 'reply could not be sent');

  const take = async (message: Msg, connection: BusConnection): Promise<void> => {
    inFlight += 1;
    const release = connection.hold();
    try {
      const reply = await answer(options, message.data, logger);
      if ('stream' in reply) await streams.send(message, connection, reply);
      else respond({ message, connection, current: () => bus.current, onError }, reply);
    } catch (error) {
      onError(error);
    } finally {
      release();
      inFlight -= 1;
      if (inFlight === 0) idle?.();
    }
  };

  const subscription = bus.subscribe(subject, options.queue, (message, connection) => {
    if (!options.isSilent?.()) void take(message, connection);
  });

  return {
    get inFlight() {
      return inFlight;
    },
    get isSubscribed() {
      return subscription.isSubscribed;
    },
    async drain(streamMsMax = streamDrainMs) {
      await subscription.drain();
      const stop = setTimeout(() => streams.stop(), streamMsMax);
      if (inFlight > 0) await new Promise<void>((resolve) => (idle = resolve));
      clearTimeout(stop);
    },
  };
}
