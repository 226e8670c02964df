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

/** A result that is large, or whose length its worker did not know, is a transfer; whoever gets it has to read it. */
export type BusReply =
  | { readonly payload: Uint8Array; readonly isError: boolean }
  | { readonly payload: IncomingStream; readonly isError: false };

/** The one NATS connection of a process. */
export interface Bus {
  readonly connected: boolean;
  readonly payloadBytesMax: number;
  /**
   * Throws BusError; fails at once while the connection is down, and when it is lost before the answer. The time is
   * that until the answer begins.
   */
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
  /** What the subjects begin with on which it hears answers; that of the client library when absent. */
  readonly inboxPrefix?: string;
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
  const lost = new Set<() => void>();
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
      }
    }
  })();
  void nc.closed().then(down);
  return { state, lost };
}

/** Only an answer with headers can be anything else than a result in one message. */
function toReply(message: Msg, link: StreamLink, payloadBytesMax: number): BusReply | Promise<BusReply> {
  const { data, headers, reply = '' } = message;
  if (!headers) return { payload: data, isError: false };
  const frame = frameOf(message);
  if (frame?.kind !== 'open') return { payload: data, isError: headers.has(errorHeader) };
  const { windowBytes } = streamLimits(payloadBytesMax);
  const transfer = receiveStream(link, { length: frame.bytes, control: reply, windowBytes });
  return transfer.then((payload) => ({ payload, isError: false }));
}

/** An answer may come when the connection was lost and is back: nobody would read it. */
function declineTransfer(message: Msg, link: StreamLink): void {
  const { reply } = message;
  if (reply && frameOf(message)?.kind === 'open') link.send(reply, { kind: 'cancel', bytes: null });
}

/** Connects, waiting for the server as long as it takes; afterwards reconnects by itself for ever. */
export async function connectBus({ url, name, inboxPrefix = '_INBOX', logger }: BusOptions): Promise<Bus> {
  const nc = await connect({
    ...toServers(url),
    name,
    inboxPrefix,
    pingInterval: 15_000,
    reconnectTimeWait: 50,
    reconnectJitter: 50,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    // Two stack traces a request, a tenth of its cost.
    noAsyncTraces: true,
  });
  const server = nc.info?.version ?? '';
  if (isBelowFloor(server)) logger.warn({ server, needed: floorText }, 'nats-server has known holes: use a newer one');
  const { state, lost } = watchConnection(nc, logger);
  const link = natsStreamLink({ nc, inboxPrefix, state, lost, logger });
  let knownPayloadBytesMax = nc.info?.max_payload ?? 0;
  // While the connection is down the client library knows nothing of the server.
  const payloadBytesMax = () => (knownPayloadBytesMax = nc.info?.max_payload ?? knownPayloadBytesMax);

  return {
    get connected() {
      return state.connected;
    },
    get payloadBytesMax() {
      return payloadBytesMax();
    },
    async request(subject, payload, timeoutMs) {
      // The client library would keep the message and send it after "unavailable" was answered.
      if (!state.connected) throw new BusError('not-connected');
      const { promise, resolve, reject } = deferred<BusReply>();
      const fail = () => reject(new BusError('lost'));
      lost.add(fail);
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
      }
    },
    serve: (subject, options) => serveSubject({ nc, link, logger, payloadBytesMax }, subject, options),
    publish(subject) {
      if (state.connected) nc.publish(subject);
    },
    listen(subject, heard) {
      subscribe(nc, subject, logger, heard);
    },
    async close() {
      // Draining waits for the server: pointless, and endless, when it has gone.
      await (state.connected ? nc.drain() : nc.close());
    },
  };
}
