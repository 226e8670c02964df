import { decodeTransferFrame, encodeTransferFrame, transferHeader, type TransferFrame } from '@trunkline/contracts';
import { createInbox, headers, type Msg, type NatsConnection } from 'nats';
import type { Logger } from '../logger.ts';
import { subscribe } from './subscribe.ts';

export interface TransferMessage {
  readonly payload?: Uint8Array;
  /** Where the other side is to send. */
  readonly replyTo?: string;
}

/** What a transfer needs of the connection. */
export interface TransferLink {
  inbox(): string;
  /** Hears until the returned function is called; what is no frame is heard as null. */
  listen(subject: string, heard: (frame: TransferFrame | null, message: Required<TransferMessage>) => void): () => void;
  send(subject: string, frame: TransferFrame, message?: TransferMessage): void;
  /** Is told once when the connection is lost, unless the returned function was called before. */
  onLost(lost: () => void): () => void;
}

/** The frame that a message carries, if it does. */
export function frameOf({ headers }: Msg): TransferFrame | null {
  return headers ? decodeTransferFrame(headers.get(transferHeader)) : null;
}

export function frameHeaders(frame: TransferFrame) {
  const named = headers();
  named.set(transferHeader, encodeTransferFrame(frame));
  return named;
}

interface Links {
  readonly nc: NatsConnection;
  readonly inboxPrefix: string;
  readonly state: { readonly connected: boolean };
  readonly lost: Set<() => void>;
  readonly logger: Logger;
}

export function natsTransferLink({ nc, inboxPrefix, state, lost, logger }: Links): TransferLink {
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
