/**
 * Returns a function that waits for one promise at a time, and rejects with the signal's reason as soon as the signal
 * aborts. It uses one listener for all: races against one promise would keep a reaction for each wait.
 */
export function untilAborted(signal: AbortSignal): <T>(promise: Promise<T>) => Promise<T> {
  let leave = (): void => {};
  signal.addEventListener('abort', () => leave(), { once: true });
  return (promise) =>
    new Promise((resolve, reject) => {
      leave = () => reject(signal.reason);
      if (signal.aborted) leave();
      promise.then(resolve, reject);
    });
}
