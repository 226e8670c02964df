import { errorHeader } from '@trunkline/contracts';
import { connect, ErrorCode, Events, NatsError, type NatsConnection } from 'nats';
import type { Logger } from '../logger.ts';
import { BusError, type BusErrorReason } from './bus-error.ts';
import { serveSubject, type ServeOptions, type Service } from './serve-subject.ts';

export interface BusReply {
  readonly payload: Uint8Array;
  readonly isError: boolean;
}

/** The one NATS connection of a process. */
export interface Bus {
  readonly connected: boolean;
  readonly payloadBytesMax: number;
  /** Throws BusError; fails at once while the connection is down, and when it is lost before the answer. */
  request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<BusReply>;
  /** Answers requests until the returned service is drained. */
  serve(subject: string, options: ServeOptions): Service;
  /** Tells whoever listens; lost when nobody does or the connection is down. */
  publish(subject: string): void;
  listen(subject: string, heard: () => void): void;
  close(): Promise<void>;
}

export interface BusOptions {
  readonly url: string;
  readonly name: string;
  readonly logger: Logger;
}

const reasons = new Map<string, BusErrorReason>([
  [ErrorCode.NoResponders, 'no-responders'],
  [ErrorCode.Timeout, 'timeout'],
  [ErrorCode.MaxPayloadExceeded, 'too-large'],
]);

/** The reason behind what the client library throws. */
function toBusError(thrown: unknown): BusError {
  const reason = thrown instanceof NatsError ? reasons.get(thrown.code) : undefined;
  return new BusError(reason ?? 'lost', thrown);
}

/** Servers separated by commas, with the user and password that the first of them names. */
function toServers(list: string): { servers: string[]; user?: string; pass?: string } {
  const urls = list.split(',').map((word) => new URL(word.includes('://') ? word.trim() : `nats://${word.trim()}`));
  const servers = urls.map(({ host }) => host);
  const { username = '', password = '' } = urls[0] ?? {};
  return username === ''
    ? { servers }
    : { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

/** Whether the connection is up, and a way to hear of its loss. */
function watchConnection(nc: NatsConnection, logger: Logger) {
  const lost = new Set<(error: BusError) => void>();
  const state = { connected: true };
  const down = () => {
    state.connected = false;
    const waiting = [...lost];
    lost.clear();
    for (const reject of waiting) reject(new BusError('lost'));
  };
  void (async () => {
    for await (const status of nc.status()) {
      if (status.type === Events.Disconnect) {
        logger.warn('bus connection lost');
        down();
      } else if (status.type === Events.Reconnect) {
        state.connected = true;
        logger.info('bus connection is back');
      }
    }
  })();
  void nc.closed().then(down);
  return { state, lost };
}

/** Connects, waiting for the server as long as it takes; afterwards reconnects by itself for ever. */
export async function connectBus({ url, name, logger }: BusOptions): Promise<Bus> {
  const nc = await connect({
    ...toServers(url),
    name,
    pingInterval: 15_000,
    reconnectTimeWait: 50,
    reconnectJitter: 50,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    // Two stack traces a request, a tenth of its cost.
    noAsyncTraces: true,
  });
  const { state, lost } = watchConnection(nc, logger);

  return {
    get connected() {
      return state.connected;
    },
    get payloadBytesMax() {
      return nc.info?.max_payload ?? 0;
    },
    async request(subject, payload, timeoutMs) {
      // The client library would keep the message and send it after "unavailable" was answered.
      if (!state.connected) throw new BusError('not-connected');
      const { promise, resolve, reject } = deferred<BusReply>();
      lost.add(reject);
      nc.request(subject, payload, { timeout: timeoutMs }).then(
        (message) => resolve({ payload: message.data, isError: message.headers?.has(errorHeader) ?? false }),
        (error: unknown) => reject(toBusError(error)),
      );
      try {
        return await promise;
      } finally {
        lost.delete(reject);
      }
    },
    serve: (subject, options) => serveSubject(nc, subject, options, logger),
    publish(subject) {
      if (state.connected) nc.publish(subject);
    },
    listen(subject, heard) {
      nc.subscribe(subject, {
        callback: () => {
          // A throw in here would make the whole connection deaf.
          try {
            heard();
          } catch (error) {
            logger.error({ err: error, subject }, 'listener failed');
          }
        },
      });
    },
    async close() {
      // Draining waits for the server: pointless, and endless, when it has gone.
      await (state.connected ? nc.drain() : nc.close());
    },
  };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: BusError) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
