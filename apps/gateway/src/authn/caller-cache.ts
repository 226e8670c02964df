import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { StoredCaller } from './caller-store.ts';

const callersMax = 10_000;
const lifeMsMax = 10_000;

/** Callers that were accepted a moment ago; a refusal is never remembered. */
export interface CallerCache {
  get(mac: Buffer): StoredCaller | undefined;
  /** Takes a caller read since `epoch`; what was read before the last drop is not kept. */
  keep(caller: StoredCaller, epoch: number): void;
  forget(mac: Buffer): void;
  readonly epoch: number;
  drop(): void;
}

export function createCallerCache(clock: Clock): CallerCache {
  const callers = new LRUCache<string, StoredCaller>({
    max: callersMax,
    ttl: lifeMsMax,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  });
  let epoch = 0;
  return {
    get: (mac) => callers.get(mac.toString('latin1')),
    keep(caller, readIn) {
      if (readIn !== epoch) return;
      const ttl = Math.ceil(Math.min(lifeMsMax, caller.lifeMs ?? lifeMsMax));
      if (ttl > 0) callers.set(caller.mac.toString('latin1'), caller, { ttl });
    },
    forget: (mac) => callers.delete(mac.toString('latin1')),
    get epoch() {
      return epoch;
    },
    drop() {
      epoch += 1;
      callers.clear();
    },
  };
}
