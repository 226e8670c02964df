import {
  encodeError,
  errorHeader,
  InternalError,
  OperationFailedError,
  UnavailableError,
  type WorkerReply,
} from '@trunkline/contracts';
import { Empty, headers, type Msg } from 'nats';
import { withTimeout } from '../concurrency/with-timeout.ts';
import type { Logger } from '../logger.ts';
import type { BusConnection } from './connection.ts';
import type { CurrentConnection } from './current-connection.ts';
import { sendStream, type OutgoingStream } from './outgoing-stream.ts';
import { answerBytesMax, heldBytesMax, streamLimits } from './stream-limits.ts';
import { frameHeaders } from './stream-link.ts';

/** Maximum time by which streams that are still being read delay a stop. */
const streamDrainMs = 15_000;

/** Result of unknown length. Reading starts the source; its `return` is called at the end, also after a cancel. */
export interface StreamReply {
  readonly stream: AsyncIterable<Uint8Array>;
  /** Ends the stream, and the client's answer with it, once it is aborted. */
  readonly signal?: AbortSignal;
}

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

function tooLarge(bytes: number, limit: number): WorkerReply {
  return encodeError(new OperationFailedError(`The answer is too large (${bytes} bytes, the limit is ${limit})`));
}

/** Sends the reply on the request's connection, whose server knows the requester's inbox first, unless that is lost. */
function respond({ message, connection, current, onError }: Received, reply: WorkerReply): void {
  if (!message.reply) return;
  const { outbox } = connection.isConnected ? connection : current();
  const named = reply.errorCode === null ? undefined : headers();
  if (reply.errorCode !== null) named?.set(errorHeader, reply.errorCode);
  const options = named && { headers: named };
  outbox.publish({ subject: message.reply, payload: reply.payload, options, outlivesLoss: true, onError });
}

async function* onePiece(payload: Uint8Array): AsyncGenerator<Uint8Array> {
  yield payload;
}

/** Replies in one message, or begins a stream if the answers in progress leave enough of `heldBytesMax`. */
function send(received: Received, reply: WorkerReply | StreamReply, heldBytes: number): OutgoingStream | null {
  const { message, connection } = received;
  const { link, payloadBytesMax: limit } = connection;
  const { chunkBytes, messageBytes } = streamLimits(limit);
  const stream = (source: AsyncIterable<Uint8Array>, bytes: number | null) =>
    sendStream(link, {
      source,
      chunkBytes,
      open: (subject) => message.respond(Empty, { headers: frameHeaders({ kind: 'open', bytes }), reply: subject }),
    });

  if ('stream' in reply) {
    const outgoing = stream(reply.stream, null);
    reply.signal?.addEventListener('abort', () => outgoing.stop(), { once: true });
    return outgoing;
  }
  const bytes = reply.payload.length;
  if (reply.errorCode === null && bytes > messageBytes && bytes <= answerBytesMax) {
    if (heldBytes + bytes <= heldBytesMax) return stream(onePiece(reply.payload), bytes);
    respond(received, encodeError(new UnavailableError()));
    return null;
  }
  const bytesMax = reply.errorCode === null ? answerBytesMax : limit;
  respond(received, bytes > bytesMax ? tooLarge(bytes, bytesMax) : reply);
  return null;
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
  const streams = new Set<OutgoingStream>();
  let inFlight = 0;
  let heldBytes = 0;
  let idle: (() => void) | undefined;

  const follow = async (stream: OutgoingStream, bytes: number): Promise<void> => {
    streams.add(stream);
    heldBytes += bytes;
    try {
      await stream.done;
    } catch (error) {
      logger.warn({ err: error, subject }, 'large response could not be delivered');
    } finally {
      streams.delete(stream);
      heldBytes -= bytes;
    }
  };

  const onError = (error: unknown) => logger.error({ err: error, subject }, 'reply could not be sent');

  const take = async (message: Msg, connection: BusConnection): Promise<void> => {
    inFlight += 1;
    const release = connection.hold();
    try {
      const reply = await answer(options, message.data, logger);
      const stream = send({ message, connection, current: () => bus.current, onError }, reply, heldBytes);
      if (stream) await follow(stream, 'stream' in reply ? 0 : reply.payload.length);
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
      const stop = setTimeout(() => {
        for (const stream of streams) stream.stop();
      }, streamMsMax);
      if (inFlight > 0) await new Promise<void>((resolve) => (idle = resolve));
      clearTimeout(stop);
    },
  };
}
