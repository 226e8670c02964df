import { latencyBuckets, observeGauge, type CallMetrics } from '@trunkline/runtime';
import { Histogram } from 'prom-client';
import type { Bulkhead } from '../../authn/bulkhead.ts';

/** Adds the queries of a bulkhead to the metrics, under a name. */
export type MeterQueries = (name: string, bulkhead: Bulkhead) => Bulkhead;

/** Registers metrics of the queries that requests wait for: how many are pending, and how long they take with their wait. */
export function createQueryMetrics(registry: CallMetrics['registry']): MeterQueries {
  const pending = new Map<string, number>();
  const seconds = new Histogram({
    name: 'trunkline_database_query_seconds',
    help: 'Time of a query of a gateway, with its wait for a connection',
    labelNames: ['queries'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  observeGauge(registry, {
    name: 'trunkline_database_queries_pending',
    help: 'Queries of a gateway that run or wait for a connection',
    labels: ['queries'],
    read: () => [...pending].map(([queries, value]) => ({ labels: { queries }, value })),
  });
  return (queries, bulkhead) => {
    const add = (by: number) => pending.set(queries, (pending.get(queries) ?? 0) + by);
    add(0);
    return async (ask) => {
      const began = performance.now();
      add(1);
      try {
        return await bulkhead(ask);
      } finally {
        add(-1);
        seconds.observe({ queries }, (performance.now() - began) / 1_000);
      }
    };
  };
}
