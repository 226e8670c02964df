import { BusyError, type CopyRequest } from '@trunkline/contracts';
import type { CallMetrics } from '@trunkline/runtime';
import { Semaphore } from '@trunkline/runtime/concurrency';
import type { ServedStorage } from '../storage/storages.ts';
import type { Incoming } from './arrival-actions.ts';
import { createCopyMetrics } from './copy-metrics.ts';
import { requireAttempt } from './require-attempt.ts';
import { runArrival, type RunTools } from './run-arrival.ts';

/** Whole trees that arrive, or are checked, at once; and what is shorter, for which a sender holds a repository. */
const limits = { long: 4, short: 16 } as const;

/** One action of a copy that has its permit. */
export interface Admitted {
  run(incoming: Incoming): Promise<object | null>;
  /** Gives the permit back; to be called once. */
  release(): void;
}

/** What arrives at the storages of this worker, within its limits. */
export interface Arrivals {
  /** Throws BusyError while too much arrives, and another error unless the request's attempt holds its operation. */
  admit(served: ServedStorage, request: CopyRequest): Promise<Admitted>;
}

export interface ArrivalsOptions extends RunTools {
  readonly registry: CallMetrics['registry'];
}

function isLong({ action }: CopyRequest): boolean {
  return action.kind === 'send' ? action.whole : action.kind === 'check' && action.full;
}

export function createArrivals(options: ArrivalsOptions): Arrivals {
  const refuse = () => new BusyError({ quota: 'copies' });
  const long = new Semaphore({ limit: limits.long, refuse });
  const short = new Semaphore({ limit: limits.short, refuse });
  const metrics = createCopyMetrics(options.registry, { long, short });
  return {
    async admit(served, request) {
      const semaphore = isLong(request) ? long : short;
      if (!semaphore.tryAcquire()) throw new BusyError({ quota: 'copies' });
      try {
        await requireAttempt(options.db, request);
      } catch (error) {
        semaphore.release();
        throw error;
      }
      return {
        run: (incoming) => runArrival(options, metrics, served, request, incoming),
        release: () => semaphore.release(),
      };
    },
  };
}
