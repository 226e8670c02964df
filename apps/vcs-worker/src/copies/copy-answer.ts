import { encodeError, encodeResult, toRpcError } from '@trunkline/contracts';
import { withTimeout } from '@trunkline/runtime/concurrency';

/** Time after which another byte shows that the work goes on. */
const pulseMs = 10_000;
const pulse = Buffer.from(' ');
export const answerBytesMax = 4 * 1024 * 1024;

/** Encodes the outcome of some work, preceded by spaces while it goes on, so that the connection is not idle. */
export async function* answerOf(work: Promise<unknown>): AsyncGenerator<Uint8Array> {
  const outcome = work.then(
    (result) => ['+', encodeResult(result)] as const,
    (error: unknown) => ['-', encodeError(toRpcError(error))] as const,
  );
  for (;;) {
    const ended = await withTimeout(outcome, pulseMs, () => null);
    if (ended) {
      yield Buffer.concat([Buffer.from(ended[0]), ended[1].payload]);
      return;
    }
    yield pulse;
  }
}
