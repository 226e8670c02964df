import { errorHeader } from '@trunkline/contracts';
import { ErrorCode, NatsError, type Msg } from 'nats';
import { BusError, type BusErrorReason } from './bus-error.ts';
import type { BusConnection } from './connection.ts';
import { deferred } from './deferred.ts';
import { receiveStream, type IncomingStream } from './incoming-stream.ts';
import { streamLimits } from './stream-limits.ts';
import { frameOf } from './stream-link.ts';

/** The payload is a stream when the result is large or of unknown length; the receiver must read or destroy it. */
export type BusReply =
  | { readonly payload: Uint8Array; readonly isError: boolean }
  | { readonly payload: IncomingStream; readonly isError: false };

export interface BusRequest {
  readonly subject: string;
  readonly payload: Uint8Array;
  /** Limits the time until the answer begins. */
  readonly timeoutMs: number;
  /** Its abort rejects at once with reason `abandoned`; a later answer is dropped. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the answer begins, for a stream before its first bytes. */
  readonly onBegin?: (() => void) | undefined;
}

const reasons = new Map<string, BusErrorReason>([
  [ErrorCode.NoResponders, 'no-responders'],
  [ErrorCode.Timeout, 'timeout'],
  [ErrorCode.MaxPayloadExceeded, 'too-large'],
]);

/** Wraps an error of the NATS client in a BusError with its reason. */
export function toBusError(thrown: unknown): BusError {
  if (thrown instanceof BusError) return thrown;
  const reason = thrown instanceof NatsError ? reasons.get(thrown.code) : undefined;
  return new BusError(reason ?? 'lost', thrown);
}

/**
 * Converts a message to a reply. A message without headers is a complete result; headers have the code of an error, or
 * an open frame, which announces a stream.
 */
function toReply(
  message: Msg,
  { link, payloadBytesMax }: BusConnection,
  signal: AbortSignal,
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
function cancelStream(message: Msg, { link }: BusConnection): void {
  const { reply } = message;
  if (reply && frameOf(message)?.kind === 'open') link.send(reply, { kind: 'cancel', bytes: null });
}

/** Sends a request; throws BusError, also when the connection is lost before the answer. */
export async function sendRequest(connection: BusConnection, request: BusRequest): Promise<BusReply> {
  const { subject, payload, timeoutMs, signal, onBegin } = request;
  const { promise, resolve, reject } = deferred<BusReply>();
  let isPending = true;
  const forget = connection.onLost(() => {
    isPending = false;
    reject(new BusError('lost'));
  });
  const release = connection.hold();
  const abandon = () => reject(new BusError('abandoned'));
  signal?.addEventListener('abort', abandon, { once: true });
  const take = (reply: BusReply) => {
    if (isPending) resolve(reply);
    else if (!(reply.payload instanceof Uint8Array)) reply.payload.stream.destroy();
  };
  // A stream begins with its first bytes; until then the request's end, for whatever reason, is that of the stream.
  const ended = new AbortController();
  const until = performance.now() + timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  connection.nc
    .request(subject, payload, { timeout: timeoutMs })
    .then((message) => {
      if (!isPending) return cancelStream(message, connection);
      onBegin?.();
      const reply = toReply(message, connection, ended.signal);
      if (!isPromise(reply)) return take(reply);
      timer = setTimeout(() => reject(new BusError('timeout')), until - performance.now());
      return reply.then(take);
    })
    .catch((error: unknown) => reject(toBusError(error)));
  try {
    return await promise;
  } finally {
    isPending = false;
    clearTimeout(timer);
    forget();
    release();
    signal?.removeEventListener('abort', abandon);
    ended.abort();
  }
}

/** Replies to one request to all. */
const repliesMax = 1_000;

/** Sends a request to all who serve a subject, and calls back for each reply that comes within `windowMs`. */
export async function sendToAll(
  connection: BusConnection,
  { subject, payload, windowMs }: { readonly subject: string; readonly payload: Uint8Array; readonly windowMs: number },
  onReply: (payload: Uint8Array) => void,
): Promise<void> {
  const release = connection.hold();
  try {
    const replies = await connection.nc.requestMany(subject, payload, { maxWait: windowMs, noMux: true });
    let count = 0;
    for await (const { data, headers } of replies) {
      if (!headers) onReply(data);
      count += 1;
      if (count >= repliesMax) break;
    }
  } catch (error) {
    throw toBusError(error);
  } finally {
    release();
  }
}
