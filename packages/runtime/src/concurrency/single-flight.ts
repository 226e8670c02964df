import { setMaxListeners } from 'node:events';

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  /** Number of calls that wait for the result. */
  calls: number;
}

/** Runs work once at a time for each key: calls made during a run get the result, or the error, of that run. */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Flight<Result>>();

  /**
   * Starts the work, or joins a run that has begun. A call whose signal aborts rejects at once with the signal's reason;
   * when it was the last call of the run, the run's own signal aborts, and later calls start a new run.
   */
  run(key: string, work: (signal: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const flight = this.#running.get(key) ?? this.#start(key, work);
    flight.calls += 1;
    return signal ? this.#waitFor(key, flight, signal) : flight.result;
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
    await Promise.allSettled([...this.#running.values()].map(({ result }) => result));
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const result = work(controller.signal).finally(() => this.#end(key, flight));
    const flight: Flight<Result> = { result, controller, calls: 0 };
    this.#running.set(key, flight);
    return flight;
  }

  #waitFor(key: string, flight: Flight<Result>, signal: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        flight.calls -= 1;
        if (flight.calls > 0) return;
        this.#end(key, flight);
        flight.controller.abort(signal.reason);
      };
      const stay = () => signal.removeEventListener('abort', leave);
      signal.addEventListener('abort', leave, { once: true });
      flight.result.then(resolve, reject).finally(stay);
    });
  }

  #end(key: string, flight: Flight<Result>): void {
    if (this.#running.get(key) === flight) this.#running.delete(key);
  }
}
