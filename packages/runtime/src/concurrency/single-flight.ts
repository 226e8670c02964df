/** Runs work once at a time for each key: whoever asks while it runs gets the result, or the error, of that run. */
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

  /** Lets no later caller share what runs now; whoever waits still gets its result. */
  forget(): void {
    this.#running.clear();
  }

  /** Resolves when everything that runs now has ended, however it ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
