interface Demand {
  /** Requests that have no answer yet. */
  pending: number;
  /** Average of `pending` over the last seconds, as of `at`. */
  average: number;
  at: number;
  /** Time of the last request. */
  lastAt: number;
}

/** Time over which the number of a source's pending requests is averaged, in milliseconds. */
const averagedMs = 3_000;
/** Average from which on a source counts as heavy. */
const heavyAverage = 0.75;
/** A source without a pending request is forgotten after this time, in milliseconds; the average is near zero then. */
const forgottenMs = 10_000;
/** A source with more pending requests is heavy at once; browsers open six connections. */
const pendingMax = 6;
const sourcesMax = 10_000;

/**
 * The demand of each source of requests: the number of its pending requests, averaged over some seconds. A source that
 * has a request pending for most of the time is heavy, all others are light.
 */
export class SourceDemand {
  readonly #demands = new Map<string, Demand>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a request of a source until the returned function is called. Sources beyond the limit stay light. */
  begin(source: string): () => void {
    const known = this.#demands.get(source);
    if (!known && this.#demands.size >= sourcesMax) return () => {};
    const demand = known ?? { pending: 0, average: 0, at: this.#now(), lastAt: 0 };
    if (!known) this.#demands.set(source, demand);
    this.#update(demand);
    demand.pending += 1;
    demand.lastAt = demand.at;
    return () => {
      this.#update(demand);
      demand.pending -= 1;
    };
  }

  isHeavy(source: string): boolean {
    const demand = this.#demands.get(source);
    return demand !== undefined && (demand.pending > pendingMax || this.#update(demand) >= heavyAverage);
  }

  /** Forgets sources that have sent no request for ten seconds; returns whether any of the others is light. */
  hasLight(): boolean {
    let found = false;
    for (const [source, demand] of this.#demands) {
      const average = this.#update(demand);
      if (demand.pending === 0 && demand.at - demand.lastAt > forgottenMs) this.#demands.delete(source);
      else if (average < heavyAverage) found = true;
    }
    return found;
  }

  #update(demand: Demand): number {
    const now = this.#now();
    const kept = Math.exp(-(now - demand.at) / averagedMs);
    demand.average = demand.pending + (demand.average - demand.pending) * kept;
    demand.at = now;
    return demand.average;
  }
}
