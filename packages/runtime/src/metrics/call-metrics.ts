import type { ErrorCode } from '@trunkline/contracts';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

export interface Call {
  readonly method: string;
  readonly lane: string;
  readonly code: ErrorCode | 'ok';
  readonly seconds: number;
}

export interface CallMetrics {
  readonly registry: Registry;
  observe(call: Call): void;
}

/** Default gauges with names of counters; each is the sum of another default metric that counts by type. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Creates the metrics of a process: calls by method, lane and code, their latency, and Node's default metrics. */
export function createCallMetrics(): CallMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const calls = new Counter({
    name: 'trunkline_calls_total',
    help: 'Answered calls',
    labelNames: ['method', 'lane', 'code'],
    registers: [registry],
  });
  const latency = new Histogram({
    name: 'trunkline_call_seconds',
    help: 'Time to answer a call',
    labelNames: ['method', 'lane'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600, 3600],
    registers: [registry],
  });
  return {
    registry,
    observe({ method, lane, code, seconds }) {
      calls.inc({ method, lane, code });
      latency.observe({ method, lane }, seconds);
    },
  };
}
