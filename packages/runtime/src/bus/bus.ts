import { errorHeader } from '@trunkline/contracts';
import { connect, ErrorCode, Events, NatsError, type Msg, type NatsConnection } from 'nats';
import type { Logger } from '../logger.ts';
import { BusError, type BusErrorReason } from './bus-error.ts';
import { deferred } from './deferred.ts';
import { receiveStream, type IncomingStream } from './incoming-stream.ts';
import { floorText, isBelowFloor } from './server-floor.ts';
import { serveSubject, type ServeOptions, type Service } from './serve-subject.ts';
import { subscribe } from './subscribe.ts';
import { streamLimits } from './stream-limits.ts';
import { frameOf, natsStreamLink, type StreamLink } from './stream-link.ts';

/** The payload is a stream when the result is large or of unknown length; the receiver has to read or destroy it. */
export type BusReply =
  | { readonly payload: Uint8Array; readonly isError: boolean }
  | { readonly payload: IncomingStream; readonly isError: false };

/** The one NATS connection of a process. */
export interface Bus {
  readonly connected: boolean;
  readonly payloadBytesMax: number;
  /**
   * Throws BusError; fails at once while the connection is down, and when it is lost before the answer. The time is
   * that until the answer begins; one that comes after the signal has fired is dropped.
   */
  request(subject: string, payload: Uint8Array, timeoutMs: number, signal?: AbortSignal): Promise<BusReply>;
  /** Answers requests until the returned service is drained. */
  serve(subject: string, options: ServeOptions): Service;
  /** Publishes a message; lost when there is no subscriber or the connection is down. */
  publish(subject: string, payload?: Uint8Array): void;
  listen(subject: string, onMessage: (payload: Uint8Array) => void): void;
  /** Calls back whenever the connection is up again after a loss: messages may have been missed. */
  onReconnect(reconnected: () => void): void;
  /** Resolves when the server has processed everything sent so far; throws BusError when the connection is lost first. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface BusOptions {
  readonly url: string;
  readonly name: string;
  /** The prefix of reply subjects; the NATS client's own when absent. */
  readonly inboxPrefix?: string;
  readonly logger: Logger;
}

const reasons = new Map<string, BusErrorReason>([
  [ErrorCode.NoResponders, 'no-responders'],
  [ErrorCode.Timeout, 'timeout'],
  [ErrorCode.MaxPayloadExceeded, 'too-large'],
]);

/** The reason for an error that the NATS client throws. */
function toBusError(thrown: unknown): BusError {
  const reason = thrown instanceof NatsError ? reasons.get(thrown.code) : undefined;
  return new BusError(reason ?? 'lost', thrown);
}

/** Servers separated by commas, with the user and password of the first one. */
function toServers(list: string): { servers: string[]; user?: string; pass?: string } {
  const urls = list.split(',').map((word) => new URL(word.includes('://') ? word.trim() : `nats://${word.trim()}`));
  const servers = urls.map(({ host }) => host);
  const { username = '', password = '' } = urls[0] ?? {};
  return username === ''
    ? { servers }
    : { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

/** Whether the connection is up, with listeners for its loss. */
function watchConnection(nc: NatsConnection, logger: Logger) {
  const lost = new Set<() => void>();
  const reconnected = new Set<() => void>();
  const state = { connected: true };
  const down = () => {
    state.connected = false;
    const waiting = [...lost];
    lost.clear();
    for (const hear of waiting) hear();
  };
  void (async () => {
    for await (const status of nc.status()) {
      if (status.type === Events.Disconnect) {
        logger.warn('bus connection lost');
        down();
      } else if (status.type === Events.Reconnect) {
        state.connected = true;
        logger.info('bus connection is back');
        for (const hear of reconnected) hear();
      }
    }
  })();
  void nc.closed().then(down);
  return { state, lost, reconnected };
}

/** A reply without headers is a result in one message. */
function toReply(message: Msg, link: StreamLink, payloadBytesMax: number): BusReply | Promise<BusReply> {
  const { data, headers, reply = '' } = message;
  if (!headers) return { payload: data, isError: false };
  const frame = frameOf(message);
  if (frame?.kind !== 'open') return { payload: data, isError: headers.has(errorHeader) };
  const { windowBytes } = streamLimits(payloadBytesMax);
  const transfer = receiveStream(link, { length: frame.bytes, control: reply, windowBytes });
  return transfer.then((payload) => ({ payload, isError: false }));
}

/** Ends a stream whose request has already failed: nothing would read it. */
function declineTransfer(message: Msg, link: StreamLink): void {
  const { reply } = message;
  if (reply && frameOf(message)?.kind === 'open') link.send(reply, { kind: 'cancel', bytes: null });
}

/** Connects, waiting for the server without limit; later the connection is restored without limit, too. */
export async function connectBus({ url, name, inboxPrefix = '_INBOX', logger }: BusOptions): Promise<Bus> {
  const nc = await connect({
    ...toServers(url),
    name,
    inboxPrefix,
    // A server that answers no two of these in a row is lost; it treats its clients alike.
    pingInterval: 5_000,
    maxPingOut: 2,
    // A frozen server among several takes connections, too.
    timeout: 5_000,
    reconnectTimeWait: 50,
    reconnectJitter: 50,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    // Two stack traces for each request cost a tenth of it.
    noAsyncTraces: true,
  });
  const server = nc.info?.version ?? '';
  if (isBelowFloor(server)) logger.warn({ server, needed: floorText }, 'nats-server has known holes: use a newer one');
  const { state, lost, reconnected } = watchConnection(nc, logger);
  const link = natsStreamLink({ nc, inboxPrefix, state, lost, logger });
  let knownPayloadBytesMax = nc.info?.max_payload ?? 0;
  // While the connection is down the NATS client has no information about the server.
  const payloadBytesMax = () => (knownPayloadBytesMax = nc.info?.max_payload ?? knownPayloadBytesMax);

  return {
    get connected() {
      return state.connected;
    },
    get payloadBytesMax() {
      return payloadBytesMax();
    },
    async request(subject, payload, timeoutMs, signal) {
      // The NATS client would buffer the message and send it after the caller got "unavailable".
      if (!state.connected) throw new BusError('not-connected');
      const { promise, resolve, reject } = deferred<BusReply>();
      const fail = () => reject(new BusError('lost'));
      lost.add(fail);
      const abandon = () => reject(new BusError('abandoned'));
      signal?.addEventListener('abort', abandon, { once: true });
      nc.request(subject, payload, { timeout: timeoutMs }).then(
        (message) => {
          if (lost.has(fail)) resolve(toReply(message, link, payloadBytesMax()));
          else declineTransfer(message, link);
        },
        (error: unknown) => reject(toBusError(error)),
      );
      try {
        return await promise;
      } finally {
        lost.delete(fail);
        signal?.removeEventListener('abort', abandon);
      }
    },
    serve: (subject, options) => serveSubject({ nc, link, logger, payloadBytesMax }, subject, options),
    publish(subject, payload) {
      if (state.connected) nc.publish(subject, payload);
    },
    listen(subject, heard) {
      subscribe(nc, subject, logger, ({ data }) => heard(data));
    },
    onReconnect(hear) {
      reconnected.add(hear);
    },
    async flush() {
      if (!state.connected) throw new BusError('not-connected');
      await nc.flush().catch((error: unknown) => {
        throw toBusError(error);
      });
    },
    async close() {
      // Draining waits for the server, without end when the server is gone.
      await (state.connected ? nc.drain() : nc.close());
    },
  };
}
