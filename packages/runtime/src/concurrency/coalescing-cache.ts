import { LRUCache } from 'lru-cache';
import { SingleFlight } from './single-flight.ts';

/** An LRU cache bounded by the bytes of its values; concurrent reads of a key that is not cached share one read. */
export class CoalescingCache<Value extends object> {
  readonly #cached: LRUCache<string, Value>;
  readonly #reads = new SingleFlight<Value>();

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
    return this.#cached.get(key) ?? this.#reads.run(key, (shared) => this.#read(key, () => read(shared)), signal);
  }

  async #read(key: string, read: () => Promise<Value>): Promise<Value> {
    const value = await read();
    this.#cached.set(key, value, { ttl: this.#msMaxOf(value) ?? 0 });
    return value;
  }
}
