import type { EndWatch, Watched } from '@trunkline/runtime';

/**
 * Waits for at most `msMax` milliseconds until the operation may have ended, or the repository may be free. The caller
 * reads the state anew: a message may be early, and the time may be over.
 */
export type WaitForOperationEnd = (watched: Watched, msMax: number) => Promise<void>;

export function operationEndedWaiter(endWatch: Pick<EndWatch, 'watch'>): WaitForOperationEnd {
  return (watched, msMax) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unwatch();
        resolve();
      };
      const timer = setTimeout(done, msMax);
      const unwatch = endWatch.watch(watched, done);
    });
}
