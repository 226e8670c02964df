import type { Logger } from '../logger.ts';
import { BusError, toBusError } from './bus-error.ts';
import type { BusConnection } from './connection.ts';
import { CurrentConnection } from './current-connection.ts';
import { isBelowMinimumVersion, minimumVersionText } from './servers.ts';
import { type BusReply, sendRequest, sendToAll } from './send-request.ts';
import { serveSubject, type ServeOptions, type Service } from './serve-subject.ts';

/** The bus, as one process uses it: one connection, except while it moves from one server to another. */
export interface Bus {
  readonly connected: boolean;
  /** Largest request in bytes: the server's `max_payload`, as last announced. */
  readonly payloadBytesMax: number;
  /**
   * Sends a request; throws BusError, while the connection is down for longer than a second at once, and when it is lost
   * before the answer. `timeoutMs` limits the time until the answer begins. The abort of `signal` rejects at once with
   * reason `abandoned`; a later answer is dropped. `onBegin` is called when the answer begins, for a stream before its
   * first bytes.
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

function warnOfOldServer({ nc }: BusConnection, logger: Logger): void {
  const server = nc.info?.version ?? '';
  if (!isBelowMinimumVersion(server)) return;
  logger.warn({ server, needed: minimumVersionText }, 'nats-server has known vulnerabilities: use a newer version');
}

/** Connects to NATS. The first connection and every reconnection are tried without a time limit. */
export async function connectBus({ url, name, inboxPrefix = '_INBOX', logger }: BusOptions): Promise<Bus> {
  const connection = new CurrentConnection({ url, name, inboxPrefix, logger });
  await connection.connect();
  warnOfOldServer(connection.current, logger);

  return {
    get connected() {
      return connection.current.isConnected;
    },
    get payloadBytesMax() {
      return connection.current.payloadBytesMax;
    },
    async request(subject, payload, timeoutMs, signal, onBegin) {
      const until = performance.now() + timeoutMs;
      // The NATS client would buffer the message and send it after the reconnection, when the request has failed.
      if (!connection.current.isConnected && !(await connection.isUpSoon())) throw new BusError('not-connected');
      if (signal?.aborted) throw new BusError('abandoned');
      const msLeft = Math.max(1, until - performance.now());
      return sendRequest(connection.current, { subject, payload, timeoutMs: msLeft, signal, onBegin });
    },
    async requestAll(subject, payload, windowMs, onReply) {
      if (!connection.current.isConnected) throw new BusError('not-connected');
      await sendToAll(connection.current, { subject, payload, windowMs }, onReply);
    },
    serve: (subject, options) => serveSubject({ connection, logger }, subject, options),
    publish(subject, payload) {
      const { isConnected, outbox } = connection.current;
      if (isConnected) outbox.publish({ subject, payload });
    },
    listen(subject, onMessage) {
      connection.subscribe(subject, undefined, ({ data }) => onMessage(data));
    },
    onReconnect: (callback) => connection.onReconnect(callback),
    async flush() {
      const { isConnected, nc, outbox } = connection.current;
      if (!isConnected) throw new BusError('not-connected');
      outbox.flush();
      await nc.flush().catch((error: unknown) => {
        throw toBusError(error);
      });
    },
    close: () => connection.close(),
  };
}
