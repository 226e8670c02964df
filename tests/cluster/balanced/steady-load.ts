import { setTimeout as wait } from 'node:timers/promises';
import type { ReplyEnvelope } from '@trunkline/contracts';
import { createClient, type Client } from '../../harness/client.ts';
import type { Fixture, LoadCall } from '../../harness/load-calls.ts';
import { runLoad, type LoadResult } from '../../harness/load.ts';

const unknownOutcome = /^The outcome of operation \S+ is not known yet, ask get_operation$/;
const nothingRan = ['Service is temporarily unavailable, try again later', 'Service is busy, try again later'];
/** A time longer than any call of the load may take. */
const patienceMs = 120_000;

/** One call as its client saw it. */
export interface Seen {
  readonly method: string;
  readonly begun: number;
  readonly ended: number;
  /** What kept the service from answering; null for an answer. */
  readonly failure: string | null;
}

export interface SteadyLoad {
  /** All calls so far. */
  readonly seen: readonly Seen[];
  /** Waits until so many calls that begin from now on are answered. */
  answered(count: number): Promise<void>;
  stop(): Promise<LoadResult[]>;
}

export interface SteadyLoadOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly fixture: Fixture;
  readonly seed: number;
  readonly clients: number;
  /** Time between two calls of one client. */
  readonly pauseMs: number;
}

/** Has clients of the balancer make random calls until they are told to stop. */
export function startSteadyLoad({ url, apiKey, fixture, seed, clients, pauseMs }: SteadyLoadOptions): SteadyLoad {
  const seen: Seen[] = [];
  const waiting = new Set<{ readonly since: number; left: number; readonly done: () => void }>();
  let isOver = false;

  const record = (one: Seen) => {
    seen.push(one);
    for (const waiter of waiting) {
      if (one.failure !== null || one.begun < waiter.since) continue;
      waiter.left -= 1;
      if (waiter.left === 0) {
        waiting.delete(waiter);
        waiter.done();
      }
    }
  };
  /** Makes a call; the reply has the error `failed` when the connection was lost or the balancer answered. */
  const call = async (method: string, args?: unknown): Promise<ReplyEnvelope> => {
    const begun = performance.now();
    const ended = (failure: string | null) => record({ method, begun, ended: performance.now(), failure });
    try {
      const late = wait(patienceMs, null, { ref: false });
      const reply = await Promise.race([createClient(url, apiKey).call(method, args), late]);
      if (!reply) throw new Error(`no answer within ${patienceMs} ms`);
      const { error } = reply;
      const isFailure = error !== null && (nothingRan.includes(error) || unknownOutcome.test(error));
      ended(isFailure ? error : null);
      return reply;
    } catch (error) {
      const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      ended(String(why));
      return { id: null, result: null, error: 'failed' };
    }
  };
  const client: Client = { ...createClient(url, apiKey), call };
  const ask = async (one: Client, { method, args }: LoadCall): Promise<ReplyEnvelope | null> => {
    await wait(pauseMs);
    const reply = await one.call(method, args);
    return reply.error === 'failed' ? null : reply;
  };
  const all = Array.from({ length: clients }, () => client);
  const running = runLoad({ clients: all, fixture, calls: Infinity, isOver: () => isOver, seed, ask });
  return {
    seen,
    async answered(count) {
      const done = new Promise<void>((resolve) => {
        waiting.add({ since: performance.now(), left: count, done: resolve });
      });
      // A load that ends by itself has failed.
      await Promise.race([done, running]);
    },
    async stop() {
      isOver = true;
      return running;
    },
  };
}

/** Returns the time within which this part of the calls was answered, in milliseconds. */
export function quantile(seen: readonly Seen[], part: number): number {
  const times = seen.map(({ begun, ended }) => ended - begun).toSorted((a, b) => a - b);
  return Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
}
