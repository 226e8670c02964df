import {
  BusyError,
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
import type { HeldAnswer, HeldAnswers } from './held-answers.ts';
import { sendStream, type OutgoingStream } from './streams-of-0.1/outgoing-stream.ts';
import { answerBytesMax, chunkBytesMax, streamLimits } from './streams-of-0.1/stream-limits.ts';
import { frameHeaders } from './streams-of-0.1/stream-link.ts';

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
  /** The reply when so much is held for readers that there is no space for a large one; "busy" when absent. */
  readonly noSpaceReply?: (payload: Uint8Array) => WorkerReply;
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
  /** The large answers of this process that are being read. */
  readonly held: HeldAnswers;
  readonly logger: Logger;
}

/** A request, the connection on which it has come, and the one that is in use when it is answered. */
interface Received {
  readonly message: Msg;
  readonly connection: BusConnection;
  readonly current: () => BusConnection;
  readonly onError: (error: unknown) => void;
}

/** A stream that is being read, and what gives its bytes back. */
interface Outgoing extends OutgoingStream {
  readonly release: () => void;
}

/** Announces a stream to the requester. */
function openStream(
  { message, connection }: Received,
  source: AsyncIterable<Uint8Array>,
  bytes: number | null,
): OutgoingStream {
  return sendStream(connection.link, {
    source,
    chunkBytes: streamLimits(connection.payloadBytesMax).chunkBytes,
    open: (subject) => message.respond(Empty, { headers: frameHeaders({ kind: 'open', bytes }), reply: subject }),
  });
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

/** Yields the bytes of an answer that is held; a client that takes them shows at which rate it reads. */
async function* piecesOf(payload: Uint8Array, held: HeldAnswer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < payload.length; at += chunkBytesMax) {
    const piece = payload.subarray(at, at + chunkBytesMax);
    held.sent(piece.length);
    yield piece;
  }
}

/** Begins a stream of a large answer; null when there is no space for it. */
function sendLarge(received: Received, { payload, caller = '' }: WorkerReply, held: HeldAnswers): Outgoing | null {
  const holding = held.take(caller, payload.length, () => outgoing.stop());
  if (!holding) return null;
  const outgoing = openStream(received, piecesOf(payload, holding), payload.length);
  return { ...outgoing, release: holding.release };
}

/** Replies in one message, or begins a stream. */
function send(
  received: Received,
  reply: WorkerReply | StreamReply,
  held: HeldAnswers,
  noSpaceReply: () => WorkerReply,
): Outgoing | null {
  if ('stream' in reply) {
    const outgoing = openStream(received, reply.stream, null);
    reply.signal?.addEventListener('abort', () => outgoing.stop(), { once: true });
    return { ...outgoing, release: () => {} };
  }
  const { payloadBytesMax } = received.connection;
  const bytes = reply.payload.length;
  const bytesMax = reply.errorCode === null ? answerBytesMax : payloadBytesMax;
  if (bytes > bytesMax) {
    respond(received, tooLarge(bytes, bytesMax));
    return null;
  }
  const isLarge = reply.errorCode === null && bytes > streamLimits(payloadBytesMax).messageBytes;
  const outgoing = isLarge ? sendLarge(received, reply, held) : null;
  if (!outgoing) respond(received, isLarge ? noSpaceReply() : reply);
  return outgoing;
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
export function serveSubject(
  { connection: bus, held, logger }: Serving,
  subject: string,
  options: ServeOptions,
): Service {
  const streams = new Set<OutgoingStream>();
  let inFlight = 0;
  let idle: (() => void) | undefined;

  const follow = async (stream: Outgoing): Promise<void> => {
    streams.add(stream);
    try {
      await stream.done;
    } catch (error) {
      logger.warn({ err: error, subject }, 'large response could not be delivered');
    } finally {
      streams.delete(stream);
      stream.release();
    }
  };

  const onError = (error: unknown) => logger.error({ err: error, subject }, 'reply could not be sent');

  const take = async (message: Msg, connection: BusConnection): Promise<void> => {
    inFlight += 1;
    const release = connection.hold();
    try {
      const reply = await answer(options, message.data, logger);
      const received = { message, connection, current: () => bus.current, onError };
      const noSpaceReply = () =>
        options.noSpaceReply?.(message.data) ?? encodeError(new BusyError({ quota: 'answers' }));
      const stream = send(received, reply, held, noSpaceReply);
      if (stream) await follow(stream);
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
