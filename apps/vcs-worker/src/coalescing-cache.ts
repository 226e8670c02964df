import { LRUCache } from 'lru-cache';

/** What was read lately, bounded by its bytes; of what is not kept, one reading serves all who wait for it. */
export class CoalescingCache<Value extends object> {
  readonly #kept: LRUCache<string, Value>;
  readonly #running = new Map<string, Promise<Value>>();

  constructor(bytesMax: number, bytesOf: (value: Value, key: string) => number) {
    this.#kept = new LRUCache({ maxSize: bytesMax, sizeCalculation: bytesOf });
  }

  /** What a key stands for; a reading that fails is not kept, and fails for everyone who waits. */
  async get(parts: readonly (string | number)[], read: () => Promise<Value>): Promise<Value> {
    const key = parts.join('\0');
    return this.#kept.get(key) ?? this.#running.get(key) ?? this.#read(key, read);
  }

  #read(key: string, read: () => Promise<Value>): Promise<Value> {
    const reading = (async () => {
      try {
        const value = await read();
        this.#kept.set(key, value);
        return value;
      } finally {
        this.#running.delete(key);
      }
    })();
    this.#running.set(key, reading);
    return reading;
  }
}
