import { BusyError, type CopyAction, type CopyRequest, RpcError } from '@trunkline/contracts';
import type { CallMetrics, Logger } from '@trunkline/runtime';
import { Counter, Gauge } from 'prom-client';
import { Semaphore } from '@trunkline/runtime/concurrency';
import type { ServedStorage } from '../storage/storages.ts';
import {
  type ArrivalTools,
  beginArrival,
  checkArrival,
  type Incoming,
  publishArrival,
  receiveArrival,
} from './arrival-actions.ts';
import { requireAttempt } from './attempt-store.ts';

interface CopyMetrics {
  /** Counts an action that has ended. */
  ended(action: CopyAction['kind'], outcome: 'done' | 'failed'): void;
}

const actionKinds: readonly CopyAction['kind'][] = ['begin', 'send', 'check', 'publish'];

/** Registers metrics of what workers of other storages have asked: by action and outcome, and how much is under way. */
function createCopyMetrics(
  registry: CallMetrics['registry'],
  permits: Readonly<Record<string, { readonly held: number }>>,
): CopyMetrics {
  const actions = new Counter({
    name: 'trunkline_copy_actions_total',
    help: 'Ended actions of copies from other storages',
    labelNames: ['action', 'outcome'],
    registers: [],
  });
  // From the beginning, so that the first failure is a change.
  for (const action of actionKinds) {
    for (const outcome of ['done', 'failed']) actions.inc({ action, outcome }, 0);
  }
  const open = new Gauge({
    name: 'trunkline_copy_actions_open',
    help: 'Actions of copies from other storages that are under way',
    labelNames: ['length'],
    registers: [],
    collect() {
      for (const [length, { held }] of Object.entries(permits)) this.set({ length }, held);
    },
  });
  registry.registerMetric(actions);
  registry.registerMetric(open);
  return { ended: (action, outcome) => actions.inc({ action, outcome }) };
}

interface RunTools extends ArrivalTools {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

async function act(
  tools: RunTools,
  served: ServedStorage,
  request: CopyRequest,
  incoming: Incoming,
): Promise<object | null> {
  const { action } = request;
  switch (action.kind) {
    case 'begin':
      return beginArrival(tools, served, { ...request, action });
    case 'send':
      return receiveArrival(served, { ...request, action }, incoming);
    case 'check':
      return checkArrival(tools, served, { ...request, action }, incoming.signal);
    case 'publish':
      return publishArrival(tools, served, { ...request, action }, incoming.signal);
  }
}

/** Runs one action of a copy, counts it and writes its one log line. */
async function runArrival(
  tools: RunTools,
  metrics: CopyMetrics,
  served: ServedStorage,
  request: CopyRequest,
  incoming: Incoming,
): Promise<object | null> {
  const began = performance.now();
  const { operationId, attempt, action } = request;
  const about = { operationId, attempt, storage: served.storage.name, action: action.kind };
  const line = () => ({ ...about, ms: Math.round(performance.now() - began) });
  try {
    const result = await act(tools, served, request, incoming);
    metrics.ended(action.kind, 'done');
    tools.logger.info(line(), 'copy from another storage');
    return result;
  } catch (error) {
    metrics.ended(action.kind, 'failed');
    const reason = error instanceof RpcError ? (error.cause ?? error) : error;
    tools.logger.warn({ ...line(), err: reason }, 'copy from another storage failed');
    throw error;
  }
}

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

interface ArrivalsOptions extends RunTools {
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
