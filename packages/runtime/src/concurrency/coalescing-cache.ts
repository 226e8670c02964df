import { LRUCache } from 'lru-cache';
import { SingleFlight } from './single-flight.ts';

/** How a cache was used since its process began, and what it holds. */
export interface CacheFigures {
  readonly hits: number;
  /** Look-ups that have waited for the read of another one. */
  readonly shared: number;
  readonly misses: number;
  readonly entries: number;
  /** Memory of the entries; null for a cache that is bounded by their number. */
  readonly bytes: number | null;
}

/** An LRU cache bounded by the bytes of its values; concurrent reads of a key that is not cached share one read. */
export class CoalescingCache<Value extends object> {
  readonly #cached: LRUCache<string, Value>;
  readonly #reads = new SingleFlight<Value>();
  readonly #counts = { lookUps: 0, hits: 0, misses: 0 };

  readonly #msMaxOf: (value: Value) => number | undefined;

  /** `msMaxOf` limits the milliseconds for which a value is kept; it returns undefined for no limit. */
  constructor(
    bytesMax: number,
    bytesOf: (value: Value, key: string) => number,
    msMaxOf: (value: Value) => number | undefined = () => undefined,
  ) {
    this.#cached = new LRUCache({ maxSize: bytesMax, sizeCalculation: bytesOf });
    this.#msMaxOf = msMaxOf;
  }

  get figures(): CacheFigures {
    const { lookUps, hits, misses } = this.#counts;
    const { size: entries, calculatedSize: bytes } = this.#cached;
    return { hits, misses, shared: lookUps - hits - misses, entries, bytes };
  }

  /**
   * Returns the value of a key. A read that fails is not cached, and fails for every call that shares it. The read's
   * signal aborts when the signals of all calls that share it have aborted.
   */
  async get(
    parts: readonly (string | number)[],
    read: (signal: AbortSignal) => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    const key = parts.join('\0');
    const cached = this.#cached.get(key);
    this.#counts.lookUps += 1;
    if (cached !== undefined) {
      this.#counts.hits += 1;
      return cached;
    }
    return this.#reads.run(key, (shared) => this.#read(key, () => read(shared)), signal);
  }

  async #read(key: string, read: () => Promise<Value>): Promise<Value> {
    this.#counts.misses += 1;
    const value = await read();
    this.#cached.set(key, value, { ttl: this.#msMaxOf(value) ?? 0 });
    return value;
  }
}
