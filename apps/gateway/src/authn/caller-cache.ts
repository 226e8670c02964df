import type { CacheFigures } from '@trunkline/runtime/concurrency';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { StoredCaller } from './caller-store.ts';

const callersMax = 10_000;
const lifeMsMax = 10_000;
const unknownMax = 10_000;
const unknownLifeMs = 1_000;

/**
 * Cache of accepted callers, for ten seconds, and of unknown keys, for one second, by the HMAC of the key under the
 * newest secret. No other refusal is cached, since it may be lifted at any time. An unknown key stays unknown: keys are
 * random, so no key is issued later that somebody has already tried.
 */
export interface CallerCache {
  get(hmac: Buffer): StoredCaller | undefined;
  /** Caches a caller that was read in `epoch`; ignores a caller that was read before the last `drop`. */
  keep(hmac: Buffer, caller: StoredCaller, epoch: number): void;
  forget(hmac: Buffer): void;
  isUnknown(hmac: Buffer): boolean;
  keepUnknown(hmac: Buffer, epoch: number): void;
  /** Number of drops so far; it is read before the query whose result is cached. */
  readonly epoch: number;
  readonly figures: CacheFigures;
  /** Removes all entries when callers have changed; results of queries that began before are not cached. */
  drop(): void;
}

const nameOf = (hmac: Buffer) => hmac.toString('latin1');

export function createCallerCache(clock: Clock): CallerCache {
  const timed = { ttlResolution: 0, perf: { now: () => clock.now() } };
  const callers = new LRUCache<string, StoredCaller>({ max: callersMax, ttl: lifeMsMax, ...timed });
  const unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownLifeMs, ...timed });
  let epoch = 0;
  let hits = 0;
  let misses = 0;
  return {
    get(hmac) {
      const caller = callers.get(nameOf(hmac));
      if (caller === undefined) misses += 1;
      else hits += 1;
      return caller;
    },
    keep(hmac, caller, readEpoch) {
      if (readEpoch !== epoch) return;
      const ttl = Math.ceil(Math.min(lifeMsMax, caller.lifeMs ?? lifeMsMax));
      if (ttl > 0) callers.set(nameOf(hmac), caller, { ttl });
    },
    forget: (hmac) => callers.delete(nameOf(hmac)),
    isUnknown: (hmac) => unknown.has(nameOf(hmac)),
    keepUnknown(hmac, readEpoch) {
      if (readEpoch === epoch) unknown.set(nameOf(hmac), true);
    },
    get epoch() {
      return epoch;
    },
    get figures() {
      return { hits, misses, shared: 0, entries: callers.size, bytes: null };
    },
    drop() {
      epoch += 1;
      callers.clear();
      unknown.clear();
    },
  };
}
