/** Names what is missing, or returns null when a dependency answers in time. */
export type Probe = () => Promise<string | null>;

/** Requests that may be open at once: an answer that was lost never comes, and must not hold the probe up. */
const openMax = 3;
/** Calls without an answer in time after which a further request is sent beside the one that has none. */
const patience = 10;

/**
 * Creates a probe with few open requests: while a frozen dependency has not answered, later calls wait for the same
 * answer, each for at most `timeoutMs`. `nameOf` names the dependency by the error of a request, or without one that of
 * a late answer.
 */
export function createProbe(
  ask: () => Promise<unknown>,
  timeoutMs: number,
  nameOf: (error?: unknown) => string,
): Probe {
  let pending: Promise<string | null> | undefined;
  let open = 0;
  let lateCalls = 0;
  const send = () => {
    open += 1;
    lateCalls = 0;
    const sent = ask()
      .then(() => null, nameOf)
      .finally(() => {
        open -= 1;
        if (pending === sent) pending = undefined;
      });
    return sent;
  };
  return async () => {
    if (lateCalls >= patience && open < openMax) pending = undefined;
    pending ??= send();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string | null>((resolve) => {
      timer = setTimeout(() => {
        lateCalls += 1;
        resolve(nameOf());
      }, timeoutMs);
    });
    try {
      return await Promise.race([pending, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
