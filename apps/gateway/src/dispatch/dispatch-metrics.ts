import { laneNames, type Lane } from '@trunkline/contracts';
import { BusError, latencyBuckets, observeGauge, type BusReply, type CallMetrics } from '@trunkline/runtime';
import { Counter, Histogram } from 'prom-client';
import { workerError } from './answer.ts';

/** Reasons for which a call is sent to a worker once more. */
const retryReasons = ['busy', 'no_responders', 'other_storage', 'lost_worker'] as const;

type RetryReason = (typeof retryReasons)[number];

export interface DispatchMetrics {
  /** Measures a request to a worker until its answer begins. */
  measure(lane: Lane, request: () => Promise<BusReply>): Promise<BusReply>;
  retried(lane: Lane, reason: RetryReason): void;
  /** Registers how many calls wait in the call queues. */
  observeQueue(waiting: () => number): void;
}

/** Returns the code of the worker's error, `ok` for a result, or why there is no answer. */
function outcomeOf({ payload, isError }: BusReply): string {
  return isError ? workerError(payload).code : 'ok';
}

/** Creates the metrics of what a gateway sends to workers: round trips over the bus, repeated calls, and the queue. */
export function createDispatchMetrics(registry: CallMetrics['registry']): DispatchMetrics {
  const requests = new Counter({
    name: 'trunkline_bus_requests_total',
    help: 'Requests to workers, by the code of the answer or the reason why there is none',
    labelNames: ['lane', 'outcome'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'trunkline_bus_request_seconds',
    help: 'Round trips to workers, until the answer begins',
    labelNames: ['lane'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  const retries = new Counter({
    name: 'trunkline_call_retries_total',
    help: 'Requests to workers beyond the first one of a call',
    labelNames: ['lane', 'reason'],
    registers: [registry],
  });
  // From the beginning, so that the first one is a change.
  for (const lane of laneNames) for (const reason of retryReasons) retries.inc({ lane, reason }, 0);
  return {
    async measure(lane, request) {
      const began = performance.now();
      let outcome = 'failed';
      try {
        const reply = await request();
        outcome = outcomeOf(reply);
        return reply;
      } catch (error) {
        if (error instanceof BusError) outcome = error.reason.replaceAll('-', '_');
        throw error;
      } finally {
        requests.inc({ lane, outcome });
        seconds.observe({ lane }, (performance.now() - began) / 1_000);
      }
    },
    retried: (lane, reason) => retries.inc({ lane, reason }),
    observeQueue: (waiting) =>
      observeGauge(registry, {
        name: 'trunkline_calls_waiting',
        help: 'Calls that wait in the call queues of this gateway, since many calls for the same repository run',
        read: () => [{ value: waiting() }],
      }),
  };
}
