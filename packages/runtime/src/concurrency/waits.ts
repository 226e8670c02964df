/**
 * Returns the value of a promise or, after `ms` milliseconds, the result or error of `late`. The timer ends with the
 * promise; the work behind the promise continues after the timeout until the caller stops it.
 */
export async function withTimeout<T, L>(promise: Promise<T>, ms: number, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<L>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, ms);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

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

/** Creates a promise together with the functions that settle it. */
export function deferred<T>() {
  let resolve: (value: T | PromiseLike<T>) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Lets any number of callers wait for the next change of a state, which each of them then looks at again. */
export class Condition {
  #notify = (): void => {};
  #changed: Promise<void> | null = null;

  /** Resolves at the next `notifyAll`. */
  wait(): Promise<void> {
    this.#changed ??= new Promise((resolve) => (this.#notify = resolve));
    return this.#changed;
  }

  notifyAll(): void {
    this.#changed = null;
    this.#notify();
  }
}
