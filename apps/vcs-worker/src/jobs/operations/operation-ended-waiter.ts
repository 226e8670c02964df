import type { EndWatch, Watched } from '@trunkline/runtime';

/**
 * Waits for at most `msMax` milliseconds until the operation may have ended, or the repository may be free. The caller
 * reads the state anew: a message may be early, the time may be over, and the signal may have aborted.
 */
export type WaitForOperationEnd = (watched: Watched, msMax: number, signal?: AbortSignal) => Promise<void>;

export function operationEndedWaiter(endWatch: Pick<EndWatch, 'watch'>): WaitForOperationEnd {
  return (watched, msMax, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unwatch();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, msMax);
      const unwatch = endWatch.watch(watched, done);
      signal?.addEventListener('abort', done, { once: true });
      if (signal?.aborted) done();
    });
}
