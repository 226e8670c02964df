import { decodeStreamFrame, encodeStreamFrame, streamHeader, type StreamFrame } from '@trunkline/contracts';
import { createInbox, headers, type Msg, type NatsConnection } from 'nats';
import type { Logger } from '../logger.ts';
import { subscribe } from './subscribe.ts';

export interface StreamMessage {
  readonly payload?: Uint8Array;
  /** Where the other side is to send. */
  readonly replyTo?: string;
}

/** What a transfer needs of the connection. */
export interface StreamLink {
  inbox(): string;
  /** Hears until the returned function is called; what is no frame is heard as null. */
  listen(subject: string, heard: (frame: StreamFrame | null, message: Required<StreamMessage>) => void): () => void;
  send(subject: string, frame: StreamFrame, message?: StreamMessage): void;
  /** Is told once when the connection is lost, unless the returned function was called before. */
  onLost(lost: () => void): () => void;
}

/** The frame that a message carries, if it does. */
export function frameOf({ headers }: Msg): StreamFrame | null {
  return headers ? decodeStreamFrame(headers.get(streamHeader)) : null;
}

export function frameHeaders(frame: StreamFrame) {
  const named = headers();
  named.set(streamHeader, encodeStreamFrame(frame));
  return named;
}

interface Links {
  readonly nc: NatsConnection;
  readonly inboxPrefix: string;
  readonly state: { readonly connected: boolean };
  readonly lost: Set<() => void>;
  readonly logger: Logger;
}

export function natsStreamLink({ nc, inboxPrefix, state, lost, logger }: Links): StreamLink {
  return {
    inbox: () => createInbox(inboxPrefix),
    listen(subject, heard) {
      const subscription = subscribe(nc, subject, logger, (message) =>
        heard(frameOf(message), { payload: message.data, replyTo: message.reply ?? '' }),
      );
      return () => subscription.unsubscribe();
    },
    send(subject, frame, { payload, replyTo } = {}) {
      // The client library would keep the message for later, or throw while it is closing.
      if (!state.connected || nc.isDraining() || nc.isClosed()) return;
      const reply = replyTo === undefined ? {} : { reply: replyTo };
      nc.publish(subject, payload, { headers: frameHeaders(frame), ...reply });
    },
    onLost(heard) {
      lost.add(heard);
      return () => lost.delete(heard);
    },
  };
}
