import { hostname } from 'node:os';
import { type ProcessState, statesListedMax } from '@trunkline/contracts';
import { lastLoggedError } from '../logger.ts';

/** Calls or operations that this process runs at the moment, for the page that shows them. */
export class RunningWork<What extends object> {
  // A set lists its entries in the order of their beginning.
  readonly #running = new Set<{ readonly what: What; readonly since: number }>();

  get count(): number {
    return this.#running.size;
  }

  /** Adds work until the returned function is called. */
  begin(what: What): () => void {
    const entry = { what, since: performance.now() };
    this.#running.add(entry);
    return () => this.#running.delete(entry);
  }

  /** Adds a call or an operation until its promise has settled. */
  async during<T>(what: What, run: () => Promise<T>): Promise<T> {
    const end = this.begin(what);
    try {
      return await run();
    } finally {
      end();
    }
  }

  /** Returns the work that has run longest, at most `max` of it, with its age in milliseconds. */
  oldest(max: number): (What & { readonly ms: number })[] {
    const now = performance.now();
    const found: (What & { readonly ms: number })[] = [];
    for (const { what, since } of this.#running) {
      if (found.length === max) break;
      found.push({ ...what, ms: Math.round(now - since) });
    }
    return found;
  }
}

/** What identifies a process of the cluster. */
export type ProcessIdentity = Pick<ProcessState, 'id' | 'role' | 'version'>;

export type RunningCalls = RunningWork<{ readonly id: string; readonly method: string; readonly lane: string }>;
export type RunningOperations = RunningWork<{ readonly id: string; readonly kind: string }>;

type OwnState = Pick<ProcessState, 'lanes' | 'storages' | 'childMemoryBytes' | 'unreachable'>;

interface Running {
  readonly calls: RunningCalls;
  readonly operations?: RunningOperations;
}

const noWork = { count: 0, oldest: [] };

function shown<What extends object>(work: RunningWork<What>) {
  return { count: work.count, oldest: work.oldest(statesListedMax) };
}

/** Returns the present state of this process. */
export function processState(identity: ProcessIdentity, { calls, operations }: Running, own: OwnState): ProcessState {
  return {
    ...identity,
    ...own,
    host: hostname(),
    pid: process.pid,
    seconds: Math.round(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    calls: shown(calls),
    operations: operations ? shown(operations) : noWork,
    lastError: lastLoggedError(),
  };
}
