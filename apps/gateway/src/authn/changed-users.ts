const usersMax = 10_000;

/** The changes of users so far: what was read of a user before that user changed is stale. */
export class ChangedUsers {
  #epoch = 0;
  #allUntil = 0;
  readonly #lastChange = new Map<number, number>();

  /** Number of changes so far; it is read before the query whose result is cached. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Adds a change of a user, or, with null, of any of them. */
  add(userId: number | null): void {
    this.#epoch += 1;
    if (userId === null) {
      this.#allUntil = this.#epoch;
      this.#lastChange.clear();
      return;
    }
    // A map keeps the order of insertion: the first user is the one who changed longest ago.
    this.#lastChange.delete(userId);
    this.#lastChange.set(userId, this.#epoch);
    const [oldest] = this.#lastChange;
    if (this.#lastChange.size <= usersMax || !oldest) return;
    this.#lastChange.delete(oldest[0]);
    this.#allUntil = oldest[1];
  }

  /** Returns whether the user may have changed after this epoch; any user when `userId` is null. */
  isStale(userId: number | null, epoch: number): boolean {
    if (epoch < this.#allUntil) return true;
    return userId !== null && epoch < (this.#lastChange.get(userId) ?? 0);
  }
}
