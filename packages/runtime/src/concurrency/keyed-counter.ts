/** Counts holders by key. A key without holders takes no memory. */
export class KeyedCounter<Key> {
  readonly #counts = new Map<Key, number>();

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: Key): void {
    this.#counts.set(key, this.of(key) + 1);
  }

  remove(key: Key): void {
    const remaining = this.of(key) - 1;
    if (remaining > 0) this.#counts.set(key, remaining);
    else this.#counts.delete(key);
  }
}
