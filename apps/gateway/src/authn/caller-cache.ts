import type { CacheFigures } from '@trunkline/runtime/concurrency';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { StoredCaller } from './caller-store.ts';
import { ChangedUsers } from './changed-users.ts';

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
  /** Caches a caller that was read in `epoch`; ignores one that was dropped after that. */
  keep(hmac: Buffer, caller: StoredCaller, epoch: number): void;
  forget(hmac: Buffer): void;
  isUnknown(hmac: Buffer): boolean;
  keepUnknown(hmac: Buffer, epoch: number): void;
  /** Number of drops so far; it is read before the query whose result is cached. */
  readonly epoch: number;
  readonly figures: CacheFigures;
  /** Drops a user's callers, or, with null, all entries; results of queries that began before are not cached. */
  drop(userId: number | null): void;
}

const nameOf = (hmac: Buffer) => hmac.toString('latin1');

export function createCallerCache(clock: Clock): CallerCache {
  const timed = { ttlResolution: 0, perf: { now: () => clock.now() } };
  const callers = new LRUCache<string, { readonly caller: StoredCaller; readonly epoch: number }>({
    max: callersMax,
    ttl: lifeMsMax,
    ...timed,
  });
  const unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownLifeMs, ...timed });
  const changed = new ChangedUsers();
  let hits = 0;
  let misses = 0;
  return {
    get(hmac) {
      const kept = callers.get(nameOf(hmac));
      if (kept && !changed.isStale(kept.caller.userId, kept.epoch)) {
        hits += 1;
        return kept.caller;
      }
      misses += 1;
      if (kept) callers.delete(nameOf(hmac));
      return undefined;
    },
    keep(hmac, caller, epoch) {
      if (changed.isStale(caller.userId, epoch)) return;
      const ttl = Math.ceil(Math.min(lifeMsMax, caller.lifeMs ?? lifeMsMax));
      if (ttl > 0) callers.set(nameOf(hmac), { caller, epoch }, { ttl });
    },
    forget: (hmac) => callers.delete(nameOf(hmac)),
    isUnknown: (hmac) => unknown.has(nameOf(hmac)),
    keepUnknown(hmac, epoch) {
      if (!changed.isStale(null, epoch)) unknown.set(nameOf(hmac), true);
    },
    get epoch() {
      return changed.epoch;
    },
    get figures() {
      return { hits, misses, shared: 0, entries: callers.size, bytes: null };
    },
    drop(userId) {
      changed.add(userId);
      if (userId !== null) return;
      callers.clear();
      unknown.clear();
    },
  };
}
