import { finished, Readable, type Writable } from 'node:stream';
import { BusyError, OperationFailedError, UnavailableError } from '@trunkline/contracts';
import { answerBytesMax, isBrokenOff, type LargeAnswer } from '@trunkline/runtime';
import { Semaphore, SlowReaders, type ReadPieces } from '@trunkline/runtime/concurrency';

/** Answers in memory, in all and for one user, and calls that wait for them; each takes up to `answerBytesMax`. */
const limits = { limit: 4, quotaPerCaller: 2, queueMax: 64, queueMaxPerCaller: 16 };
const waitMsMax = 10_000;
/** An answer is sent in pieces of this size, so that a slow client is noticed. */
const pieceBytes = 256 * 1024;

/** Reads a stream to its end; throws the client's error when it fails or is larger than `bytesMax`. */
async function collect({ stream }: LargeAnswer, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes <= bytesMax) continue;
      throw new OperationFailedError(`The answer is too large for HTTP/1.0 (the limit is ${bytesMax} bytes)`);
    }
  } catch (error) {
    throw isBrokenOff(error) ? new UnavailableError({ cause: error }) : error;
  }
  return Buffer.concat(chunks, bytes);
}

/** Returns a stream of known length of the bytes that were collected. */
function streamOf(collected: Buffer, reading: ReadPieces): LargeAnswer {
  const pieces = function* () {
    for (let at = 0; at < collected.length; at += pieceBytes) {
      const piece = collected.subarray(at, at + pieceBytes);
      reading.sent(piece.length);
      yield piece;
    }
  };
  return { length: collected.length, stream: Readable.from(pieces()) };
}

/** Whom an answer is for: the user, and the response that it is sent in. */
interface Recipient {
  readonly user: string;
  readonly outgoing: Writable;
}

/**
 * Returns a function that collects streams for clients of HTTP/1.0, which know no chunks. An answer counts until its
 * response has been sent, since a client that reads slowly keeps it in memory. Where another one waits, slow readers
 * beyond a quarter are ended.
 */
export function createCollectStream(bytesMax = answerBytesMax) {
  const collected = new Semaphore({ ...limits, refuse: () => new BusyError({ quota: 'lists' }) });
  const readers = new SlowReaders({ size: limits.limit });
  return async (incoming: LargeAnswer, { user, outgoing }: Recipient): Promise<LargeAnswer> => {
    try {
      if (!collected.tryAcquire(null, user)) {
        readers.endOne(user);
        await collected.acquire({ caller: user, timeoutMs: waitMsMax });
      }
      const reading = readers.add({ caller: user, end: () => outgoing.destroy() });
      finished(outgoing, () => {
        reading.remove();
        collected.release(null, user);
      });
      return streamOf(await collect(incoming, bytesMax), reading);
    } finally {
      // A stream that was never read would stay in its worker.
      incoming.stream.destroy();
    }
  };
}
