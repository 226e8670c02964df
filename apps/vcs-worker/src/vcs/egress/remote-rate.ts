export interface RateLimit {
  /** Bytes a second below which a remote is given up; 0 for no limit. */
  readonly bytesPerSecondMin: number;
  /** Time over which the rate is measured, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Measures how fast a remote sends while it is waited for. Time in which the tool works on what it has, between an
 * answer and its next request or while it reads no further, does not count.
 */
export class RemoteRate {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  /** Begin of the present wait; null while the tool is not waiting. */
  #since: number | null = null;
  #waitedMs = 0;
  #bytes = 0;

  constructor(limit: RateLimit, now = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Records that the tool has asked the remote for something. */
  asked(): void {
    this.#since = this.#now();
  }

  /** Records that the tool reads no further for now. */
  paused(): void {
    this.#since = null;
  }

  /** Counts bytes of the remote; returns whether they came too slowly. A silent remote has a limit of its own. */
  received(bytes: number): boolean {
    const { bytesPerSecondMin, windowMs } = this.#limit;
    const now = this.#now();
    this.#waitedMs += now - (this.#since ?? now);
    this.#since = now;
    this.#bytes += bytes;
    if (this.#waitedMs < windowMs) return false;
    const isSlow = this.#bytes < (bytesPerSecondMin * this.#waitedMs) / 1_000;
    this.#waitedMs = 0;
    this.#bytes = 0;
    return isSlow;
  }
}
