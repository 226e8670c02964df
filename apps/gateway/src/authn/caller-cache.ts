import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { StoredCaller } from './caller-store.ts';

const callersMax = 10_000;
const lifeMsMax = 10_000;
const unknownMax = 10_000;
const unknownLifeMs = 1_000;

/**
 * Callers that were accepted a moment ago, by the HMAC of their keys under the newest secret, and unknown keys. No
 * other refusal is cached: it may be revoked at any time, while a key that was tried before is never issued.
 */
export interface CallerCache {
  get(mac: Buffer): StoredCaller | undefined;
  /** Caches a caller that was read in `epoch`; one that was read before the last drop is not cached. */
  keep(mac: Buffer, caller: StoredCaller, epoch: number): void;
  forget(mac: Buffer): void;
  isUnknown(mac: Buffer): boolean;
  keepUnknown(mac: Buffer, epoch: number): void;
  readonly epoch: number;
  drop(): void;
}

const nameOf = (mac: Buffer) => mac.toString('latin1');

export function createCallerCache(clock: Clock): CallerCache {
  const timed = { ttlResolution: 0, perf: { now: () => clock.now() } };
  const callers = new LRUCache<string, StoredCaller>({ max: callersMax, ttl: lifeMsMax, ...timed });
  const unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownLifeMs, ...timed });
  let epoch = 0;
  return {
    get: (mac) => callers.get(nameOf(mac)),
    keep(mac, caller, readIn) {
      if (readIn !== epoch) return;
      const ttl = Math.ceil(Math.min(lifeMsMax, caller.lifeMs ?? lifeMsMax));
      if (ttl > 0) callers.set(nameOf(mac), caller, { ttl });
    },
    forget: (mac) => callers.delete(nameOf(mac)),
    isUnknown: (mac) => unknown.has(nameOf(mac)),
    keepUnknown(mac, readIn) {
      if (readIn === epoch) unknown.set(nameOf(mac), true);
    },
    get epoch() {
      return epoch;
    },
    drop() {
      epoch += 1;
      callers.clear();
      unknown.clear();
    },
  };
}
