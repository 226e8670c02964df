import { errorHeader } from '@trunkline/contracts';
import { connect, ErrorCode, Events, NatsError, type Msg, type NatsConnection } from 'nats';
import type { Logger } from '../logger.ts';
import { BusError, type BusErrorReason } from './bus-error.ts';
import { deferred } from './deferred.ts';
import { receiveStream, type IncomingStream } from './incoming-stream.ts';
import { isBelowMinimumVersion, minimumVersionText } from './minimum-version.ts';
import { serverOptions } from './server-options.ts';
import { serveSubject, type ServeOptions, type Service } from './serve-subject.ts';
import { subscribe } from './subscribe.ts';
import { streamLimits } from './stream-limits.ts';
import { frameOf, natsStreamLink, type StreamLink } from './stream-link.ts';

/** The payload is a stream when the result is large or of unknown length; the receiver must read or destroy it. */
export type BusReply =
  | { readonly payload: Uint8Array; readonly isError: boolean }
  | { readonly payload: IncomingStream; readonly isError: false };

/** The one NATS connection of a process. */
export interface Bus {
  readonly connected: boolean;
  /** Largest request in bytes: the server's `max_payload`, as last announced. */
  readonly payloadBytesMax: number;
  /**
   * Sends a request; throws BusError, at once while the connection is down and when it is lost before the answer.
   * `timeoutMs` limits the time until the answer begins. The abort of `signal` rejects at once with reason `abandoned`;
   * a later answer is dropped. `onBegin` is called when the answer begins, for a stream before its first bytes.
   */
  request(
    subject: string,
    payload: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
    onBegin?: () => void,
  ): Promise<BusReply>;
  /**
   * Sends a request to all who serve the subject, and calls back for each of the first thousand replies that come within
   * `windowMs`. Throws BusError when there are none to reply, and while the connection is down.
   */
  requestAll(
    subject: string,
    payload: Uint8Array,
    windowMs: number,
    onReply: (payload: Uint8Array) => void,
  ): Promise<void>;
  /** Answers requests until the returned service is drained. */
  serve(subject: string, options: ServeOptions): Service;
  /** Publishes a message, which is lost when there is no subscriber or the connection is down. */
  publish(subject: string, payload?: Uint8Array): void;
  listen(subject: string, onMessage: (payload: Uint8Array) => void): void;
  /** Calls back after each reconnection, because messages may have been missed meanwhile. */
  onReconnect(callback: () => void): void;
  /** Resolves when the server has processed everything sent so far; throws BusError if the connection is lost first. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface BusOptions {
  readonly url: string;
  readonly name: string;
  /** Prefix of reply subjects; the default of the NATS client when absent. */
  readonly inboxPrefix?: string;
  readonly logger: Logger;
}

/** Replies to one request to all. */
const repliesMax = 1_000;

const reasons = new Map<string, BusErrorReason>([
  [ErrorCode.NoResponders, 'no-responders'],
  [ErrorCode.Timeout, 'timeout'],
  [ErrorCode.MaxPayloadExceeded, 'too-large'],
]);

/** Wraps an error of the NATS client in a BusError with its reason. */
function toBusError(thrown: unknown): BusError {
  const reason = thrown instanceof NatsError ? reasons.get(thrown.code) : undefined;
  return new BusError(reason ?? 'lost', thrown);
}

/**
 * Tracks whether the connection is up. Calls each function in `lostCallbacks` at the next loss of the connection, then
 * removes it; calls those in `reconnectCallbacks` after every reconnection.
 */
function watchConnection(nc: NatsConnection, logger: Logger) {
  const lostCallbacks = new Set<() => void>();
  const reconnectCallbacks = new Set<() => void>();
  const state = { connected: true };
  const down = () => {
    state.connected = false;
    const callbacks = [...lostCallbacks];
    lostCallbacks.clear();
    for (const callback of callbacks) callback();
  };
  void (async () => {
    for await (const status of nc.status()) {
      if (status.type === Events.Disconnect) {
        logger.warn('bus connection lost');
        down();
      } else if (status.type === Events.Reconnect) {
        state.connected = true;
        logger.info('bus connection restored');
        for (const callback of reconnectCallbacks) callback();
      }
    }
  })();
  void nc.closed().then(down);
  return { state, lostCallbacks, reconnectCallbacks };
}

/**
 * Converts a message to a reply. A message without headers is a complete result; headers have the code of an error, or
 * an open frame, which announces a stream.
 */
function toReply(
  message: Msg,
  link: StreamLink,
  payloadBytesMax: number,
  signal?: AbortSignal,
): BusReply | Promise<BusReply> {
  const { data, headers, reply = '' } = message;
  if (!headers) return { payload: data, isError: false };
  const frame = frameOf(message);
  if (frame?.kind !== 'open') return { payload: data, isError: headers.has(errorHeader) };
  const { windowBytes } = streamLimits(payloadBytesMax);
  const stream = receiveStream(link, { length: frame.bytes, control: reply, windowBytes, signal });
  return stream.then((payload) => ({ payload, isError: false }));
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Cancels a stream whose request has already failed, since nothing would read the stream. */
function cancelStream(message: Msg, link: StreamLink): void {
  const { reply } = message;
  if (reply && frameOf(message)?.kind === 'open') link.send(reply, { kind: 'cancel', bytes: null });
}

/** Connects to NATS. The first connection and every reconnection are tried without a time limit. */
export async function connectBus({ url, name, inboxPrefix = '_INBOX', logger }: BusOptions): Promise<Bus> {
  const nc = await connect({
    ...serverOptions(url),
    name,
    inboxPrefix,
    // After two unanswered pings in a row the connection counts as lost. The server pings its clients with the same
    // limits (`ping_interval` and `ping_max` in nats-server.conf).
    pingInterval: 5_000,
    maxPingOut: 2,
    // Limit of one attempt to connect: a frozen server still accepts TCP connections, and the next one must be tried.
    timeout: 5_000,
    reconnectTimeWait: 50,
    reconnectJitter: 50,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    // The two stack traces that the client would record for each request cost a tenth of the request's time.
    noAsyncTraces: true,
  });
  const serverVersion = nc.info?.version ?? '';
  if (isBelowMinimumVersion(serverVersion))
    logger.warn(
      { server: serverVersion, needed: minimumVersionText },
      'nats-server has known vulnerabilities: use a newer version',
    );
  const { state, lostCallbacks, reconnectCallbacks } = watchConnection(nc, logger);
  const link = natsStreamLink({ nc, inboxPrefix, state, lostCallbacks, logger });
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
    async request(subject, payload, timeoutMs, signal, onBegin) {
      // The NATS client would buffer the message and send it after the reconnection, when the request has failed.
      if (!state.connected) throw new BusError('not-connected');
      const { promise, resolve, reject } = deferred<BusReply>();
      const fail = () => reject(new BusError('lost'));
      lostCallbacks.add(fail);
      const abandon = () => reject(new BusError('abandoned'));
      signal?.addEventListener('abort', abandon, { once: true });
      // The callback stays registered as long as the request is pending.
      const isPending = () => lostCallbacks.has(fail);
      const take = (reply: BusReply) => {
        if (isPending()) resolve(reply);
        else if (!(reply.payload instanceof Uint8Array)) reply.payload.stream.destroy();
      };
      const failed = (error: unknown) => reject(error instanceof BusError ? error : toBusError(error));
      // A stream begins with its first bytes; until then the request's end, for whatever reason, is that of the stream.
      const ended = new AbortController();
      const until = performance.now() + timeoutMs;
      let timer: NodeJS.Timeout | undefined;
      nc.request(subject, payload, { timeout: timeoutMs })
        .then((message) => {
          if (!isPending()) return cancelStream(message, link);
          onBegin?.();
          const reply = toReply(message, link, payloadBytesMax(), ended.signal);
          if (!isPromise(reply)) return take(reply);
          timer = setTimeout(() => reject(new BusError('timeout')), until - performance.now());
          return reply.then(take);
        })
        .catch(failed);
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        lostCallbacks.delete(fail);
        signal?.removeEventListener('abort', abandon);
        ended.abort();
      }
    },
    async requestAll(subject, payload, windowMs, onReply) {
      if (!state.connected) throw new BusError('not-connected');
      try {
        const replies = await nc.requestMany(subject, payload, { maxWait: windowMs, noMux: true });
        let count = 0;
        for await (const { data, headers } of replies) {
          if (!headers) onReply(data);
          count += 1;
          if (count >= repliesMax) break;
        }
      } catch (error) {
        throw toBusError(error);
      }
    },
    serve: (subject, options) => serveSubject({ nc, link, logger, payloadBytesMax }, subject, options),
    publish(subject, payload) {
      if (state.connected) nc.publish(subject, payload);
    },
    listen(subject, onMessage) {
      subscribe(nc, subject, logger, ({ data }) => onMessage(data));
    },
    onReconnect(callback) {
      reconnectCallbacks.add(callback);
    },
    async flush() {
      if (!state.connected) throw new BusError('not-connected');
      await nc.flush().catch((error: unknown) => {
        throw toBusError(error);
      });
    },
    async close() {
      // Draining waits for the server, and would not end when the server does not answer.
      await (state.connected ? nc.drain() : nc.close());
    },
  };
}
