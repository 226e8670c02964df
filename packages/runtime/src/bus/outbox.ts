import type { NatsConnection, PublishOptions } from 'nats';

export interface OutgoingMessage {
  readonly subject: string;
  readonly payload?: Uint8Array | undefined;
  readonly options?: PublishOptions | undefined;
  /** Whether the message is sent after the next reconnection if the connection is lost first; else it is dropped. */
  readonly outlivesLoss?: boolean;
  /** Called when the NATS client refuses the message. */
  readonly onError?: (error: unknown) => void;
}

interface OpenConnection {
  readonly nc: Pick<NatsConnection, 'publish'>;
  readonly isConnected: boolean;
}

/**
 * The messages that a process sends over one connection in one turn of its event loop: they are written together at the
 * end of the turn. A write for each costs more processor time, here and in the server, than the message itself.
 */
export class Outbox {
  readonly #connection: OpenConnection;
  readonly #reportError: (error: unknown) => void;
  #waiting: OutgoingMessage[] = [];

  /** `reportError` gets what `onError` of a message throws. */
  constructor(connection: OpenConnection, reportError: (error: unknown) => void) {
    this.#connection = connection;
    this.#reportError = reportError;
  }

  /** Sends a message at the end of this turn, after those before it. */
  publish(message: OutgoingMessage): void {
    this.#waiting.push(message);
    if (this.#waiting.length === 1) setImmediate(() => this.flush());
  }

  /** Hands all messages over to the NATS client at once. */
  flush(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    for (const message of messages) this.#send(message);
  }

  #send({ subject, payload, options, outlivesLoss = false, onError }: OutgoingMessage): void {
    const { nc, isConnected } = this.#connection;
    // The NATS client buffers what it cannot send, until the connection is back.
    if (!isConnected && !outlivesLoss) return;
    try {
      nc.publish(subject, payload, options);
    } catch (error) {
      this.#tell(onError, error);
    }
  }

  /** An error of the sender's must not keep the messages behind it from being sent. */
  #tell(onError: OutgoingMessage['onError'], refusal: unknown): void {
    try {
      onError?.(refusal);
    } catch (error) {
      this.#reportError(error);
    }
  }
}
