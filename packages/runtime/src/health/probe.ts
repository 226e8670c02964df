/** Returns whether a dependency answers in time. */
export type Probe = () => Promise<boolean>;

/**
 * Creates a probe with at most one open request: while a frozen dependency has not answered, later calls wait for
 * the same answer, each for at most `timeoutMs`.
 */
export function createProbe(ask: () => Promise<unknown>, timeoutMs: number): Probe {
  let pending: Promise<boolean> | undefined;
  return async () => {
    pending ??= ask()
      .then(
        () => true,
        () => false,
      )
      .finally(() => (pending = undefined));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
