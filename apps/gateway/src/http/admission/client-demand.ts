interface Demand {
  /** Requests that have no answer yet, without the slow ones. */
  pending: number;
  /** Requests that have no whole response yet, the slow ones included. */
  open: number;
  /** Average of `pending` over the last seconds, as of `at`. */
  average: number;
  at: number;
  /** Time of the last request. */
  lastAt: number;
}

/** A request that is counted. */
interface CountedRequest {
  /** The request waits for something, or for its client: it counts no more towards the average. */
  slow(): void;
  end(): void;
}

/** Time over which the number of a source's pending requests is averaged, in milliseconds. */
const averagedMs = 3_000;
/** Average from which on a source counts as greedy. */
const greedyAverage = 0.75;
/** A source without a pending request is forgotten after this time, in milliseconds; the average is near zero then. */
const forgottenMs = 10_000;
/** A source with more pending requests is greedy at once; browsers open six connections. */
const pendingMax = 6;
const sourcesMax = 10_000;

/**
 * The demand of each client, which its source stands for: the number of pending requests, averaged over some seconds. One that
 * has a request pending for most of the time is greedy, all others are interactive.
 */
export class ClientDemand {
  readonly #demands = new Map<string, Demand>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a request of a source. Sources beyond the limit stay interactive. */
  begin(source: string): CountedRequest {
    const known = this.#demands.get(source);
    if (!known && this.#demands.size >= sourcesMax) return { slow() {}, end() {} };
    const demand = known ?? { pending: 0, open: 0, average: 0, at: this.#now(), lastAt: 0 };
    if (!known) this.#demands.set(source, demand);
    this.#update(demand);
    demand.pending += 1;
    demand.open += 1;
    demand.lastAt = demand.at;
    let isPending = true;
    const slow = () => {
      if (!isPending) return;
      isPending = false;
      this.#update(demand);
      demand.pending -= 1;
    };
    const end = () => {
      slow();
      demand.open -= 1;
    };
    return { slow, end };
  }

  isGreedy(source: string): boolean {
    const demand = this.#demands.get(source);
    return demand !== undefined && (demand.pending > pendingMax || this.#update(demand) >= greedyAverage);
  }

  /** Returns whether the long responses of a source are to be paced: it is greedy, or has many at once. */
  isBulky(source: string): boolean {
    return this.isGreedy(source) || (this.#demands.get(source)?.open ?? 0) > pendingMax;
  }

  /** Forgets sources that have sent no request for ten seconds; returns whether any of the others is interactive. */
  hasInteractive(): boolean {
    let found = false;
    for (const [source, demand] of this.#demands) {
      const average = this.#update(demand);
      if (demand.open === 0 && demand.at - demand.lastAt > forgottenMs) this.#demands.delete(source);
      else if (average < greedyAverage && demand.pending <= pendingMax) found = true;
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
