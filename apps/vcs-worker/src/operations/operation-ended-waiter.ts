import type { EndWatch, Watched } from '@trunkline/runtime';

/** Waits until the watched operation may have ended, so many milliseconds at most. */
export type OperationEnded = (watched: Watched, msMax: number) => Promise<void>;

export function operationEndedWaiter(ends: Pick<EndWatch, 'watch'>): OperationEnded {
  return (watched, msMax) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        leave();
        resolve();
      };
      const timer = setTimeout(done, msMax);
      const leave = ends.watch(watched, done);
    });
}
