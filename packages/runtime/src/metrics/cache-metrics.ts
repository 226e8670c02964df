import type { Registry } from 'prom-client';
import type { CacheFigures } from '../concurrency/coalescing-cache.ts';
import { observeCounter, observeGauge } from './observe.ts';

/** Adds a cache to the metrics. */
export type ObserveCache = (name: string, read: () => CacheFigures) => void;

/** Registers metrics of the caches of a process. */
export function createCacheMetrics(registry: Registry): ObserveCache {
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
