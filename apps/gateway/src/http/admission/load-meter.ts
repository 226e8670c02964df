import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { processorWaitMs } from '@trunkline/runtime/concurrency';

export interface LoadMeterTools {
  readonly now: () => number;
  /** Milliseconds for which the process has waited for a core so far; null where they are not counted. */
  readonly waitMs: () => number | null;
  /** Utilization of the event loop since the one given. */
  readonly utilization: (since?: EventLoopUtilization) => EventLoopUtilization;
}

/** Part of the time that this process may wait for a core, and be busy, before it counts as overloaded. */
const waitShareMax = 0.1;
const utilizationMax = 0.9;

const system: LoadMeterTools = {
  now: () => performance.now(),
  waitMs: processorWaitMs,
  utilization: (since) => performance.eventLoopUtilization(since),
};

/**
 * Creates a function that returns whether this process was overloaded since the last call: its event loop was nearly
 * always busy, or other work, of this process or of others on the machine, kept it from the cores.
 */
export function createLoadMeter({ now, waitMs, utilization }: LoadMeterTools = system): () => boolean {
  let at = now();
  let waited = waitMs();
  let used = utilization();
  return () => {
    const [nowAt, nowWaited, busy] = [now(), waitMs(), utilization(used).utilization];
    const waitShare = waited === null || nowWaited === null ? 0 : (nowWaited - waited) / (nowAt - at);
    at = nowAt;
    waited = nowWaited;
    used = utilization();
    return busy > utilizationMax || waitShare > waitShareMax;
  };
}
