import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from '@trunkline/runtime';
import { Semaphore } from '@trunkline/runtime/concurrency';
import { Gauge, type Registry } from 'prom-client';
import { createLoadMeter, greedyMax, nextGreedyLimit, pauseAfter, unlimited } from './load-limit.ts';
import { setPace, type Pace } from './paced.ts';
import { ClientDemand } from './client-demand.ts';

export interface AdmissionOptions {
  /** Returns the source of a request: the client's address, or its network. */
  readonly sourceOf: (incoming: IncomingMessage) => string;
  /** Returns whether this process has been overloaded since the last call. */
  readonly isOverloaded?: () => boolean;
  readonly demand?: ClientDemand;
  /** Limit of the wait for a permit, in milliseconds; the time for the arrival of a body begins before the wait. */
  readonly waitMsMax?: number;
}

/** Interval at which the limit follows the load, in milliseconds. */
const intervalMs = 100;
/** A request that runs longer waits for something, or for its client: it counts no more, and the next one may begin. */
const slowMs = 1_000;
/**
 * Number of requests that run at once after a wait that was too long, whatever the load, and the limit of the wait for
 * that, in milliseconds. Otherwise all requests that have come together would begin together.
 */
const lateMax = 1;
const lateWaitMsMax = 40_000;
/** Bytes of a long response that are sent in one time slice, and the time for which the slice has a permit. */
const sliceBytes = 256 * 1024;
const sliceMs = 25;
/** Limit of the wait for such a slice, in milliseconds. */
const sliceWaitMsMax = 1_000;

const listenersMax = 20;

/** Health checks come from the load balancer, and are neither a client's nor to be delayed. */
const uncounted = ['/healthz', '/readyz'];

/** Calls `over` when a response has been closed, or has taken long. */
function untilSlow(outgoing: ServerResponse, over: () => void): void {
  const stop = () => {
    clearTimeout(timer);
    outgoing.off('close', stop);
    over();
  };
  const timer = setTimeout(stop, slowMs).unref();
  outgoing.once('close', stop);
}

/** Returns a signal that aborts when a response has been closed; only those who wait need one, since it costs much. */
function signalOf(outgoing: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (outgoing.closed) closed.abort();
  else outgoing.once('close', () => closed.abort());
  return closed.signal;
}

interface Waiting {
  readonly source: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Called when the request has taken long. */
  readonly slow: () => void;
}

/**
 * Admits the requests of clients. While interactive clients are there, only so many requests of greedy clients run at
 * once as this process has cores for, by a fair queue of these clients. The long responses of clients that are greedy, or
 * have many of them, are sent in time slices by the same queue. A request of an interactive client never waits.
 */
export class Admission {
  readonly #demand: ClientDemand;
  readonly #permits = new Semaphore({
    limit: unlimited,
    // The number of connections bounds the number of requests that wait.
    queueMax: Infinity,
    refuse: (reason) => new Error(`no permit for a request: ${reason}`),
  });
  readonly #latePermits = new Semaphore({
    limit: lateMax,
    // As above: each of them has waited for a permit before.
    queueMax: Infinity,
    refuse: (reason) => new Error(`no permit for a late request: ${reason}`),
  });
  readonly #sourceOf: AdmissionOptions['sourceOf'];
  readonly #waitMsMax: number;
  readonly #timer: NodeJS.Timeout;
  #limit = unlimited;

  constructor(options: AdmissionOptions) {
    const { sourceOf, isOverloaded = createLoadMeter(), demand = new ClientDemand(), waitMsMax = 20_000 } = options;
    this.#demand = demand;
    this.#sourceOf = sourceOf;
    this.#waitMsMax = waitMsMax;
    const follow = () => {
      this.#limit = nextGreedyLimit(this.#limit, {
        isOverloaded: isOverloaded(),
        hasInteractive: this.#demand.hasInteractive(),
      });
      this.#permits.resize(Math.max(Math.floor(this.#limit), 1));
      this.#latePermits.resize(this.#limit < greedyMax ? lateMax : unlimited);
    };
    this.#timer = setInterval(follow, intervalMs).unref();
  }

  /** Requests that wait for a permit. */
  get waiting(): number {
    return this.#permits.waiting + this.#latePermits.waiting;
  }

  /** Answers each request by `answer` once it is admitted. */
  admit(answer: Answer): Answer {
    return (incoming, outgoing) => {
      if (uncounted.includes(incoming.url ?? '')) return answer(incoming, outgoing);
      // Each step on the way of a response listens for its end; Node.js warns of more than ten.
      outgoing.setMaxListeners(listenersMax);
      const run = () => answer(incoming, outgoing);
      const source = this.#sourceOf(incoming);
      setPace(outgoing, this.#paceOf(source, outgoing));
      const counted = this.#demand.begin(source);
      const slow = () => counted.slow();
      outgoing.once('close', () => counted.end());
      if (this.#demand.isGreedy(source)) return this.#runWithPermit({ source, incoming, outgoing, slow }, run);
      untilSlow(outgoing, slow);
      return run();
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Runs a request when it has a permit, or has waited too long, and not at all when its client has gone. */
  async #runWithPermit(waiting: Waiting, run: () => void | Promise<void>): Promise<void> {
    const { outgoing, slow } = waiting;
    const release = await this.#takePermit(waiting);
    const begunAt = performance.now();
    const over = () => {
      slow();
      release(performance.now() - begunAt);
    };
    if (outgoing.closed) over();
    else {
      untilSlow(outgoing, over);
      await run();
    }
  }

  /** Waits for a permit; returns what releases it, which does nothing when there was none in time. */
  async #takePermit({ source, incoming, outgoing }: Waiting): Promise<(ranMs: number) => void> {
    const release = (ranMs: number) => this.#releaseAfter(ranMs, source);
    if (this.#permits.tryAcquire(null, source)) return release;
    const limits = { caller: source, signal: signalOf(outgoing) };
    try {
      await this.#permits.acquire({ ...limits, timeoutMs: this.#waitMsMax });
      return release;
    } catch {
      // The rest of a body may have to arrive before its time is over.
      if (outgoing.closed || !incoming.complete) return () => {};
    }
    try {
      await this.#latePermits.acquire({ ...limits, timeoutMs: lateWaitMsMax });
      return () => this.#latePermits.release(null, source);
    } catch {
      return () => {};
    }
  }

  /** Releases the permit of what has run for `ms`, later when the limit is below one. */
  #releaseAfter(ms: number, source: string): void {
    const release = () => this.#permits.release(null, source);
    const pauseMs = pauseAfter(ms, this.#limit);
    if (pauseMs > 0) setTimeout(release, pauseMs).unref();
    else release();
  }

  #paceOf(source: string, outgoing: ServerResponse): Pace {
    let sent = 0;
    let closed: AbortSignal | undefined;
    const release = () => this.#releaseAfter(sliceMs, source);
    const takeSlice = async () => {
      const signal = (closed ??= signalOf(outgoing));
      const acquired = this.#permits.acquire({ caller: source, timeoutMs: sliceWaitMsMax, signal });
      // After a long wait the response goes on without a slice, so that no transfer stalls.
      await acquired.then(
        () => setTimeout(release, sliceMs).unref(),
        () => {},
      );
    };
    return (bytes) => {
      sent += bytes;
      if (sent < sliceBytes || this.#limit >= greedyMax || !this.#demand.isBulky(source)) return null;
      sent = 0;
      return takeSlice();
    };
  }
}

/** Registers the gauge `trunkline_requests_waiting`: requests of greedy clients that wait for a permit. */
export function observeAdmission(registry: Registry, admission: Pick<Admission, 'waiting'>): void {
  const waiting = new Gauge({
    name: 'trunkline_requests_waiting',
    help: 'Requests of addresses with many requests that wait, since the gateway is overloaded',
    registers: [],
    collect() {
      this.set(admission.waiting);
    },
  });
  registry.registerMetric(waiting);
}
