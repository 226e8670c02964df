import { VcsError } from '../vcs-error.ts';

/** Yields what a stream yields within a time; VcsError `timeout` when it has not ended by then. */
export async function* inTime<T>(msMax: number, begin: (signal: AbortSignal) => AsyncIterable<T>): AsyncGenerator<T> {
  const signal = AbortSignal.timeout(msMax);
  try {
    yield* begin(signal);
  } catch (cause) {
    throw signal.aborted ? new VcsError('timeout', `no end after ${msMax} ms`, { cause }) : cause;
  }
}
