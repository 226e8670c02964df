import type { Logger } from '@trunkline/runtime';

/** Work that nobody waits for, and that never runs beside itself. */
export interface SingleFlight {
  /** Begins it, unless it runs already; what fails is logged. */
  start(): void;
  /** Resolves when it does not run. */
  ended(): Promise<void>;
}

export function singleFlight(work: () => Promise<void>, logger: Pick<Logger, 'warn'>, failure: string): SingleFlight {
  let running: Promise<void> | undefined;
  return {
    start() {
      running ??= work()
        .catch((error: unknown) => logger.warn({ err: error }, failure))
        .finally(() => (running = undefined));
    },
    async ended() {
      await running;
    },
  };
}
