/** Counts holders, or bytes held, by key. A key without any takes no memory. */
export class KeyedCounter<Key> {
  readonly #counts = new Map<Key, number>();

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: Key, count = 1): void {
    this.#counts.set(key, this.of(key) + count);
  }

  remove(key: Key, count = 1): void {
    const remaining = this.of(key) - count;
    if (remaining > 0) this.#counts.set(key, remaining);
    else this.#counts.delete(key);
  }
}
