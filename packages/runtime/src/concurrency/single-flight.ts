/** Runs work once at a time for each key: calls made during a run get the result, or the error, of that run. */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key);
    if (running) return running;
    const flight = work().finally(() => {
      if (this.#running.get(key) === flight) this.#running.delete(key);
    });
    this.#running.set(key, flight);
    return flight;
  }

  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  /** Lets later calls start new runs; calls that already wait still get the result of the present run. */
  forget(): void {
    this.#running.clear();
  }

  /** Resolves when all present runs have ended, with a result or an error. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
