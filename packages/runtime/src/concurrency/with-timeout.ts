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
