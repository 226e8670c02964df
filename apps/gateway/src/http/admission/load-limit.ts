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

/** The limit while nobody is to be protected. */
export const unlimited = Infinity;
/**
 * Number of requests of greedy clients that run at once while somebody is to be protected. So many keep a gateway busy,
 * and no more run until the first overload is seen.
 */
export const greedyMax = 16;
/** Below one, a request is followed by a pause, so that one of them runs for that part of the time. */
const limitMin = 0.125;
/** Overload comes at once with many requests, so that the limit begins to fall from here. */
const overloadedMax = 4;
/** What is added in a step without overload: one in ten steps, so that a burst that ends is not followed by one. */
const step = 0.1;
const pauseMsMax = 1_000;

interface LoadSeen {
  readonly isOverloaded: boolean;
  /** Whether an interactive client has sent a request lately. */
  readonly hasInteractive: boolean;
}

/**
 * Returns the next limit of the requests of greedy clients: it is halved by overload and grows slowly without, as the
 * window of a TCP connection.
 */
export function nextGreedyLimit(limit: number, { isOverloaded, hasInteractive }: LoadSeen): number {
  if (!hasInteractive) return unlimited;
  const next = isOverloaded ? Math.min(limit, overloadedMax) / 2 : limit + step;
  return Math.min(Math.max(next, limitMin), greedyMax);
}

/** Returns the pause, in milliseconds, after a request that has run for `ms` milliseconds. */
export function pauseAfter(ms: number, limit: number): number {
  return limit >= 1 ? 0 : Math.min(ms * (1 / limit - 1), pauseMsMax);
}
