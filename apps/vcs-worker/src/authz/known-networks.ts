/** Bounds of what is kept: callers, and networks of each. */
const callersMax = 1_000;
const networksMax = 32;

/**
 * The networks that this worker has last read of callers who have any. They decide nothing: a statement that acts compares
 * them with those of the moment.
 */
export class KnownNetworks {
  readonly #lists = new Map<number, readonly string[]>();

  of(userId: number): readonly string[] {
    return this.#lists.get(userId) ?? [];
  }

  note(userId: number, networks: readonly string[]): void {
    this.#lists.delete(userId);
    if (networks.length === 0 || networks.length > networksMax) return;
    this.#lists.set(userId, networks);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > callersMax && oldest !== undefined) this.#lists.delete(oldest);
  }
}
