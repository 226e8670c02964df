import { BusyError, OperationFailedError, UnavailableError } from '@trunkline/contracts';
import { answerBytesMax, BusError, type IncomingStream } from '@trunkline/runtime';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Answers that are collected at a time, and calls that wait for it; each answer takes up to `answerBytesMax`. */
const limits = { limit: 4, queueMax: 64 };
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

/** Returns a function that collects streams for clients of HTTP/1.0, which know no chunks. */
export function createCollectStream(bytesMax = answerBytesMax) {
  const collecting = new Semaphore({ ...limits, refuse: () => new BusyError() });
  return async (incoming: IncomingStream): Promise<Buffer> => {
    try {
      return await collecting.run(() => collect(incoming, bytesMax), { timeoutMs: waitMsMax });
    } finally {
      // A stream that was never read would stay in its worker.
      incoming.stream.destroy();
    }
  };
}
