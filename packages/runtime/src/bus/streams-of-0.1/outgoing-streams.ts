import { randomUUID } from 'node:crypto';
import { subjects } from '@trunkline/contracts';
import { Empty, type Msg } from 'nats';
import { BusError } from '../bus-error.ts';
import { deferred } from '../../concurrency/waits.ts';
import { followPeer, frameHeaders, type StreamFrame, streamLimits, type StreamLink } from './stream-link.ts';
import type { Logger } from '../../logger.ts';
import type { BusConnection } from '../connection.ts';

interface Outgoing {
  readonly source: AsyncIterable<Uint8Array>;
  readonly chunkBytes: number;
  /** Sends the requester the subject on which this side receives credit. */
  readonly open: (subject: string) => void;
}

interface OutgoingStream {
  /**
   * Resolves when every byte was sent (at most one window of them is still unread) or the receiver has cancelled.
   * Rejects when the receiver's heartbeat stopped, the source failed or the stream was stopped.
   */
  readonly done: Promise<void>;
  /** Ends the stream at once and cancels the receiver. */
  stop(): void;
}

class CancelledError extends Error {}

/** Returns `until`, which waits for one promise at a time, and `fail`, which rejects the present and later waits. */
function failableWait() {
  let failure: Error | undefined;
  let reject: (error: Error) => void = () => {};
  return {
    fail(error: Error) {
      failure ??= error;
      reject(failure);
    },
    until<T>(work: Promise<T>): Promise<T> {
      return new Promise<T>((resolve, no) => {
        reject = no;
        if (failure) no(failure);
        work.then(resolve, no);
      });
    },
  };
}

/** Sends the bytes of a source, never more than the receiver's credit. */
export function sendStream(link: StreamLink, { source, chunkBytes, open }: Outgoing): OutgoingStream {
  const { fail, until } = failableWait();
  let to = '';
  let credit = 0;
  let sent = 0;
  let credited = deferred<void>();

  const onFrame = (frame: StreamFrame | null, { replyTo }: { readonly replyTo: string }) => {
    if (frame?.kind === 'cancel') fail(new CancelledError());
    if (frame?.kind !== 'credit' || frame.bytes === null) return;
    to ||= replyTo;
    credit = Math.max(credit, frame.bytes);
    credited.resolve();
  };
  const sendControl = (kind: 'heartbeat' | 'cancel') => {
    if (to !== '') link.send(to, { kind, bytes: null });
  };

  const sendPiece = async (piece: Uint8Array) => {
    let at = 0;
    while (at < piece.length) {
      const bytes = Math.min(piece.length - at, chunkBytes, credit - sent);
      if (bytes > 0) {
        link.send(to, { kind: 'data', bytes: sent }, { payload: piece.subarray(at, at + bytes) });
        at += bytes;
        sent += bytes;
      } else {
        credited = deferred();
        await until(credited.promise);
      }
    }
  };

  const send = async () => {
    const control = subjects.stream(randomUUID());
    let stopFollowing = () => {};
    const pieces = source[Symbol.asyncIterator]();
    try {
      stopFollowing = followPeer(link, control, { onFrame, heartbeat: () => sendControl('heartbeat'), fail });
      open(control);
      await until(credited.promise);
      for (let next = await until(pieces.next()); next.done !== true; next = await until(pieces.next())) {
        await sendPiece(next.value);
      }
      link.send(to, { kind: 'end', bytes: sent });
    } catch (error) {
      if (error instanceof CancelledError) return;
      sendControl('cancel');
      throw error;
    } finally {
      stopFollowing();
      // Not awaited: a source that hangs would delay the end of the stream.
      Promise.resolve(pieces.return?.()).catch(() => {});
    }
  };

  return { done: send(), stop: () => fail(new BusError('lost')) };
}

/** A large answer for a gateway of 0.1.0. Reading starts the source; its `return` is called at the end, also after a cancel. */
export interface StreamReply {
  readonly stream: AsyncIterable<Uint8Array>;
  /** Length in bytes; null when it is not known. */
  readonly bytes: number | null;
  /** Ends the stream, and the client's answer with it, once it is aborted. */
  readonly signal?: AbortSignal;
}

/** The streams that answer the requests to one subject. */
export class OutgoingStreams {
  readonly #logger: Logger;
  readonly #subject: string;
  readonly #streams = new Set<OutgoingStream>();

  constructor(logger: Logger, subject: string) {
    this.#logger = logger;
    this.#subject = subject;
  }

  /** Announces a stream to the requester; resolves when it has ended, in whatever way. */
  async send(message: Msg, { link, payloadBytesMax }: BusConnection, reply: StreamReply): Promise<void> {
    const { stream, bytes, signal } = reply;
    const outgoing = sendStream(link, {
      source: stream,
      chunkBytes: streamLimits(payloadBytesMax).chunkBytes,
      open: (control) => message.respond(Empty, { headers: frameHeaders({ kind: 'open', bytes }), reply: control }),
    });
    const stop = () => outgoing.stop();
    signal?.addEventListener('abort', stop, { once: true });
    this.#streams.add(outgoing);
    try {
      await outgoing.done;
    } catch (error) {
      this.#logger.warn({ err: error, subject: this.#subject }, 'large response could not be delivered');
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#streams.delete(outgoing);
    }
  }

  /** Ends all streams at once. */
  stop(): void {
    for (const stream of this.#streams) stream.stop();
  }
}
