import { createInbox, headers, type Msg, type NatsConnection } from 'nats';
import type { Logger } from '../../logger.ts';
import { subscribe } from '../listeners.ts';
import { BusError } from '../bus-error.ts';

const kinds = ['open', 'credit', 'data', 'end', 'heartbeat', 'cancel'] as const;

/**
 * Frame of one message of a stream; a stream carries an answer that is too large for one message.
 *
 * - `open`, from the worker, instead of the answer: the answer's length, if known; credit goes to the reply subject.
 * - `credit`, from the gateway: the number of bytes that the worker may send, counted from the first byte of the
 *   stream; data goes to the reply subject.
 * - `data`, from the worker: a payload, and the offset of its first byte.
 * - `end`, from the worker: the number of bytes sent.
 * - `heartbeat`, from the worker. The gateway repeats its credit as its heartbeat.
 * - `cancel`, from either side: the stream has ended early.
 */
export interface StreamFrame {
  readonly kind: (typeof kinds)[number];
  /** The number that the kind has; null for `heartbeat`, `cancel` and an `open` of unknown length. */
  readonly bytes: number | null;
}

/** NATS header that holds the encoded frame. */
const streamHeader = 'Trunkline-Stream';

const pattern = /^([a-z]+)(?: (\d{1,15}))?$/;

export function encodeStreamFrame({ kind, bytes }: StreamFrame): string {
  return bytes === null ? kind : `${kind} ${bytes}`;
}

/** Decodes the frame in a header; returns null for any other text. */
export function decodeStreamFrame(text: string): StreamFrame | null {
  const [, word, digits] = pattern.exec(text) ?? [];
  const kind = kinds.find((one) => one === word);
  return kind ? { kind, bytes: digits === undefined ? null : Number(digits) } : null;
}

export interface StreamMessage {
  readonly payload?: Uint8Array;
  /** The subject for replies. */
  readonly replyTo?: string;
}

/** The part of the connection that streams use. */
export interface StreamLink {
  inbox(): string;
  /** Subscribes until the returned function is called; the frame is null for a message without one. */
  listen(subject: string, onFrame: (frame: StreamFrame | null, message: Required<StreamMessage>) => void): () => void;
  send(subject: string, frame: StreamFrame, message?: StreamMessage): void;
  /** Calls back once when the connection is lost, unless the returned function was called before. */
  onLost(callback: () => void): () => void;
}

/** Returns the frame in a message's headers; null for a message without one. */
export function frameOf({ headers }: Msg): StreamFrame | null {
  return headers ? decodeStreamFrame(headers.get(streamHeader)) : null;
}

/** Cancels a stream that a message announces, since nobody would read it. */
export function cancelStream(message: Msg, link: Pick<StreamLink, 'send'>): void {
  const { reply } = message;
  if (reply && frameOf(message)?.kind === 'open') link.send(reply, { kind: 'cancel', bytes: null });
}

export function frameHeaders(frame: StreamFrame) {
  const named = headers();
  named.set(streamHeader, encodeStreamFrame(frame));
  return named;
}

/** The connection whose streams the link is for: they end with it. */
interface LinkedConnection {
  readonly nc: NatsConnection;
  readonly isConnected: boolean;
  hold(): () => void;
  onLost(callback: () => void): () => void;
}

interface Links {
  readonly connection: LinkedConnection;
  readonly inboxPrefix: string;
  readonly logger: Logger;
}

export function natsStreamLink({ connection, inboxPrefix, logger }: Links): StreamLink {
  return {
    inbox: () => createInbox(inboxPrefix),
    listen(subject, onFrame) {
      const subscription = subscribe(connection.nc, subject, logger, (message) =>
        onFrame(frameOf(message), { payload: message.data, replyTo: message.reply ?? '' }),
      );
      const release = connection.hold();
      return () => {
        subscription.unsubscribe();
        release();
      };
    },
    send(subject, frame, { payload, replyTo } = {}) {
      const { nc, isConnected } = connection;
      // The NATS client would buffer the message, or throw while it is closing.
      if (!isConnected || nc.isDraining() || nc.isClosed()) return;
      const reply = replyTo === undefined ? {} : { reply: replyTo };
      nc.publish(subject, payload, { headers: frameHeaders(frame), ...reply });
    },
    onLost: (callback) => connection.onLost(callback),
  };
}

/** Time without any frame, such as a heartbeat, after which a peer is considered dead. */
export const idleMs = 10_000;
export const heartbeatMs = 2_500;

/** Time without reading after which a stream is ended, since its worker holds the unread answer meanwhile. */
export const stallMs = 60_000;

interface StreamLimits {
  readonly chunkBytes: number;
  /** Maximum number of bytes in flight; credit is renewed by eighths of the window. */
  readonly windowBytes: number;
}

/** Returns the stream sizes for a server with this `max_payload`. */
export function streamLimits(payloadBytesMax: number): StreamLimits {
  const chunkBytes = Math.min(256 * 1024, Math.floor(payloadBytesMax / 4));
  return { chunkBytes, windowBytes: 8 * chunkBytes };
}

interface Peer {
  readonly onFrame: (frame: StreamFrame | null, message: Required<StreamMessage>) => void;
  /** Sends this side's heartbeat. */
  readonly heartbeat: () => void;
  readonly fail: (error: BusError) => void;
}

/**
 * Listens to the peer until the returned function is called. Calls `fail` when the peer has sent nothing for `idleMs`,
 * and when the connection is lost.
 */
export function followPeer(link: StreamLink, subject: string, { onFrame, heartbeat, fail }: Peer): () => void {
  // First, since it throws once the connection is closed: nothing is left behind then.
  const stopListening = link.listen(subject, (frame, message) => {
    idle.refresh();
    onFrame(frame, message);
  });
  const idle = setTimeout(() => fail(new BusError('timeout')), idleMs);
  const heartbeats = setInterval(heartbeat, heartbeatMs);
  const ignoreLoss = link.onLost(() => fail(new BusError('lost')));
  return () => {
    clearTimeout(idle);
    clearInterval(heartbeats);
    ignoreLoss();
    stopListening();
  };
}
