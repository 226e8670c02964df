import type { IncomingMessage, ServerResponse } from 'node:http';
import { DataError, endTrailer } from './data-protocol.ts';
import { untilAborted } from '../concurrency/waits.ts';

/** What the other end of a transfer sends. */
export interface DataRequest {
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts as soon as the connection is lost, and when nothing was transferred for too long. */
  readonly signal: AbortSignal;
}

/** What the other end of a transfer receives. */
export interface DataReply {
  readonly status?: number;
  /** Headers for the other end; those about the connection and the length are left out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Is read as fast as the other end takes it; a piece is in memory as a whole. */
  readonly body: AsyncIterable<Uint8Array>;
}

const discardBytesMax = 64 * 1024 * 1024;
const discardMsMax = 5_000;

export type DataHandler = (request: DataRequest) => Promise<DataReply>;

export interface TransferCounts {
  bytesIn: number;
  bytesOut: number;
}

const connectionHeaders = new Set(['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding']);

function headersOf({ headers = {} }: DataReply): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
  return { ...Object.fromEntries(own), Trailer: endTrailer };
}

/** Reads the body of a request. The connection survives when the reader leaves early, so that an answer can be sent. */
async function* counted(request: IncomingMessage, counts: TransferCounts): AsyncGenerator<Uint8Array> {
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    counts.bytesIn += piece.length;
    yield piece;
  }
}

/** Ends a body that nobody reads any more. Its source ends when what it waits for has come, or by the handler's signal. */
function leave(pieces: AsyncIterator<Uint8Array>): void {
  Promise.resolve(pieces.return?.()).catch(() => {});
}

/** Writes a body as fast as the other end takes it. */
async function writeBody(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  counts: TransferCounts,
  unlessGone: <T>(promise: Promise<T>) => Promise<T>,
): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const piece = await unlessGone(pieces.next());
      if (piece.done === true) return;
      counts.bytesOut += piece.value.length;
      if (!response.write(piece.value)) await unlessGone(new Promise((resolve) => response.once('drain', resolve)));
    }
  } finally {
    leave(pieces);
  }
}

/**
 * Reads the rest of a body that the handler has left, within limits: a connection that is closed with bytes on it is
 * reset, and the answer is lost on its way.
 */
function discardRest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const done = () => {
      clearTimeout(timer);
      request.off('data', discard).off('end', done).off('close', done);
      resolve();
    };
    const discard = (piece: Uint8Array) => {
      bytes += piece.length;
      if (bytes > discardBytesMax) done();
    };
    // In two halves: after a delay of this process itself, what has arrived meanwhile is read first.
    let timer = setTimeout(() => (timer = setTimeout(done, discardMsMax / 2)), discardMsMax / 2);
    request.on('data', discard).once('end', done).once('close', done).resume();
  });
}

interface Exchanged {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** What the handler reads the request by. */
  readonly body: AsyncIterator<Uint8Array>;
}

/** Ends an answer and says whether it is complete; a connection with the rest of a long body on it is closed. */
async function endAnswer({ request, response, body }: Exchanged, end: 'ok' | 'cut'): Promise<void> {
  if (response.destroyed) return;
  response.addTrailers({ [endTrailer]: end });
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end(resolve);
  });
  if (request.complete) return;
  // A handler that has read a part would keep all others from reading, and the next request on the connection waiting.
  leave(body);
  await discardRest(request);
  if (!request.complete) request.destroy();
}

/** Runs the handler of one transfer and sends its answer. Rejects with what the handler or its body throws. */
export async function serveTransfer(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { handler, idleMs, counts }: { handler: DataHandler; idleMs: number; counts: TransferCounts },
): Promise<void> {
  const ended = new AbortController();
  const body = counted(request, counts);
  const exchanged = { request, response, body };
  const unlessGone = untilAborted(ended.signal);
  const lost = () => {
    if (!response.writableFinished) ended.abort(new DataError('cut'));
  };
  response.once('close', lost);
  // The socket counts bytes of both directions.
  request.setTimeout(idleMs, () => request.socket.destroy());
  try {
    const handled = handler({ body, signal: ended.signal });
    const reply = await unlessGone(handled).catch((error: unknown) => {
      handled.then(({ body }) => leave(body[Symbol.asyncIterator]())).catch(() => {});
      throw error;
    });
    response.writeHead(reply.status ?? 200, headersOf(reply)).flushHeaders();
    await writeBody(response, reply.body, counts, unlessGone);
    await endAnswer(exchanged, 'ok');
  } catch (error) {
    if (ended.signal.aborted) return;
    if (!response.headersSent) response.writeHead(500, { Trailer: endTrailer });
    await endAnswer(exchanged, 'cut');
    throw error;
  }
}
