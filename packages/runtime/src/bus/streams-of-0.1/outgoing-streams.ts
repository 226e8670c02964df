import { Empty, type Msg } from 'nats';
import type { Logger } from '../../logger.ts';
import type { BusConnection } from '../connection.ts';
import { sendStream, type OutgoingStream } from './outgoing-stream.ts';
import { streamLimits } from './stream-limits.ts';
import { frameHeaders } from './stream-link.ts';

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
