import { finished, type Writable } from 'node:stream';
import { BusyError, OperationFailedError, UnavailableError } from '@trunkline/contracts';
import { answerBytesMax, BusError, type IncomingStream } from '@trunkline/runtime';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Answers in memory, in all and for one user, and calls that wait for them; each takes up to `answerBytesMax`. */
const limits = { limit: 4, quotaPerKey: 2, queueMax: 64, queueMaxPerKey: 16 };
const waitMsMax = 10_000;

/** Reads a stream to its end; throws the client's error when it fails or is larger than `bytesMax`. */
async function collect({ stream }: IncomingStream, bytesMax: number): Promise<Buffer> {
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
    throw error instanceof BusError ? new UnavailableError({ cause: error }) : error;
  }
  return Buffer.concat(chunks, bytes);
}

/** Whom an answer is for: the user, and the response that it is sent in. */
interface Recipient {
  readonly user: string;
  readonly outgoing: Writable;
}

/**
 * Returns a function that collects streams for clients of HTTP/1.0, which know no chunks. An answer counts until its
 * response has been sent, since a client that reads slowly keeps it in memory.
 */
export function createCollectStream(bytesMax = answerBytesMax) {
  const collected = new Semaphore({ ...limits, refuse: () => new BusyError({ quota: 'lists' }) });
  return async (incoming: IncomingStream, { user, outgoing }: Recipient): Promise<Buffer> => {
    try {
      await collected.acquire({ key: user, timeoutMs: waitMsMax });
      finished(outgoing, () => collected.release(user));
      return await collect(incoming, bytesMax);
    } finally {
      // A stream that was never read would stay in its worker.
      incoming.stream.destroy();
    }
  };
}
