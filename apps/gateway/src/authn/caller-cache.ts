import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { StoredCaller } from './caller-store.ts';

const callersMax = 10_000;
const lifeMsMax = 10_000;
const unknownMax = 10_000;
const unknownLifeMs = 1_000;

/**
 * Callers that were accepted a moment ago, by what the newest secret makes of their keys, and keys that nobody had.
 * Another refusal is never remembered: it may be taken back, while a key that somebody has tried is given to nobody.
 */
export interface CallerCache {
  get(mac: Buffer): StoredCaller | undefined;
  /** Takes a caller read since `epoch`; what was read before the last drop is not kept. */
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
