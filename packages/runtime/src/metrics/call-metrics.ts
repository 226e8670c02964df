import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { BusyError, quotas, type RpcError } from '@trunkline/contracts';
import type { CacheFigures } from '../concurrency/coalescing-cache.ts';
import { latencyBuckets, observeCounter, observeGauge } from './observe.ts';
import { observeProcess } from './process-metrics.ts';

/** Adds a cache to the metrics. */
type ObserveCache = (name: string, read: () => CacheFigures) => void;

/** Registers metrics of the caches of a process. */
function createCacheMetrics(registry: Registry): ObserveCache {
  const caches = new Map<string, () => CacheFigures>();
  const each = (toSeries: (figures: CacheFigures) => readonly (readonly [Record<string, string>, number])[]) => () =>
    [...caches].flatMap(([cache, read]) =>
      toSeries(read()).map(([labels, value]) => ({ labels: { cache, ...labels }, value })),
    );
  observeCounter(registry, {
    name: 'trunkline_cache_requests_total',
    help: 'Look-ups in a cache: found, waited for the read of another look-up, or read anew',
    labels: ['cache', 'outcome'],
    read: each(({ hits, shared, misses }) => [
      [{ outcome: 'hit' }, hits],
      [{ outcome: 'shared' }, shared],
      [{ outcome: 'miss' }, misses],
    ]),
  });
  observeGauge(registry, {
    name: 'trunkline_cache_entries',
    help: 'Entries of a cache',
    labels: ['cache'],
    read: each(({ entries }) => [[{}, entries]]),
  });
  observeGauge(registry, {
    name: 'trunkline_cache_bytes',
    help: 'Memory of the entries of a cache that is bounded by its memory',
    labels: ['cache'],
    read: each(({ bytes }) => (bytes === null ? [] : [[{}, bytes]])),
  });
  return (name, read) => void caches.set(name, read);
}

interface Call {
  readonly method: string;
  readonly lane: string;
  /** Null for a call with a result. */
  readonly error: RpcError | null;
  readonly seconds: number;
}

export interface CallMetrics {
  readonly registry: Registry;
  observe(call: Call): void;
  /** Counts a call that was refused before it was run, and so is not observed. */
  refused(lane: string, error: BusyError): void;
  readonly observeCache: ObserveCache;
}

/**
 * Milliseconds between two looks at how late the event loop is. With 10, the default, these looks were most of the
 * processor time of a process that rests (8 ms a second).
 */
const eventLoopMonitoringPrecision = 50;

/** Default gauges with names of counters; each is the sum of another default metric that counts by type. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Creates the metrics of a process: calls by method, lane and code, their latency, and figures of the process. */
export function createCallMetrics(role: 'gateway' | 'vcs-worker'): CallMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  for (const name of misnamed) registry.removeSingleMetric(name);
  observeProcess(registry, role);
  const calls = new Counter({
    name: 'trunkline_calls_total',
    help: 'Answered calls and pages',
    labelNames: ['method', 'lane', 'code'],
    registers: [registry],
  });
  const latency = new Histogram({
    name: 'trunkline_call_seconds',
    help: 'Time to answer a call or a page',
    labelNames: ['method', 'lane'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'trunkline_refusals_total',
    help: 'Calls that were answered busy, by the quota or queue that had no more; gateways send those of workers again',
    labelNames: ['lane', 'quota'],
    registers: [registry],
  });
  const internalErrors = new Counter({
    name: 'trunkline_internal_errors_total',
    help: 'Calls and pages that have failed for a reason that nobody foresees; the log has them',
    registers: [registry],
  });
  // From the beginning, so that the first refusal is a change.
  for (const quota of quotas) refusals.inc({ lane: 'none', quota }, 0);
  const refused = (lane: string, { quota }: BusyError) => refusals.inc({ lane, quota });
  return {
    registry,
    refused,
    observeCache: createCacheMetrics(registry),
    observe({ method, lane, error, seconds }) {
      calls.inc({ method, lane, code: error?.code ?? 'ok' });
      latency.observe({ method, lane }, seconds);
      if (error instanceof BusyError) refused(lane, error);
      if (error?.code === 'internal') internalErrors.inc();
    },
  };
}
