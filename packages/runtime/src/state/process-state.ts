import { hostname } from 'node:os';
import { timingSafeEqual } from 'node:crypto';
import {
  encodeState,
  joinSignature,
  type ProcessState,
  splitSignature,
  stateRequestIdOf,
  statesListedMax,
  subjects,
} from '@trunkline/contracts';
import { lastLoggedError } from '../logger.ts';
import type { Bus } from '../bus/bus.ts';
import { RateLimiter } from '../concurrency/index.ts';

/** Calls or operations that this process runs at the moment, for the page that shows them. */
export class RunningWork<What extends object> {
  // A set lists its entries in the order of their beginning.
  readonly #running = new Set<{ readonly what: What; readonly since: number }>();

  get count(): number {
    return this.#running.size;
  }

  /** Adds work until the returned function is called. */
  begin(what: What): () => void {
    const entry = { what, since: performance.now() };
    this.#running.add(entry);
    return () => this.#running.delete(entry);
  }

  /** Adds a call or an operation until its promise has settled. */
  async during<T>(what: What, run: () => Promise<T>): Promise<T> {
    const end = this.begin(what);
    try {
      return await run();
    } finally {
      end();
    }
  }

  /** Returns the work that has run longest, at most `max` of it, with its age in milliseconds. */
  oldest(max: number): (What & { readonly ms: number })[] {
    const now = performance.now();
    const found: (What & { readonly ms: number })[] = [];
    for (const { what, since } of this.#running) {
      if (found.length === max) break;
      found.push({ ...what, ms: Math.round(now - since) });
    }
    return found;
  }
}

/** What identifies a process of the cluster. */
export type ProcessIdentity = Pick<ProcessState, 'id' | 'role' | 'version'>;

export type RunningCalls = RunningWork<{ readonly id: string; readonly method: string; readonly lane: string }>;
export type RunningOperations = RunningWork<{ readonly id: string; readonly kind: string }>;

type OwnState = Pick<ProcessState, 'lanes' | 'storages' | 'childMemoryBytes' | 'unreachable'>;

interface Running {
  readonly calls: RunningCalls;
  readonly operations?: RunningOperations;
}

const noWork = { count: 0, oldest: [] };

function shown<What extends object>(work: RunningWork<What>) {
  return { count: work.count, oldest: work.oldest(statesListedMax) };
}

/** Returns the present state of this process. */
export function processState(identity: ProcessIdentity, { calls, operations }: Running, own: OwnState): ProcessState {
  return {
    ...identity,
    ...own,
    host: hostname(),
    pid: process.pid,
    seconds: Math.round(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    calls: shown(calls),
    operations: operations ? shown(operations) : noWork,
    lastError: lastLoggedError(),
  };
}

/** The HMACs of the instance's secrets for states: one to sign, all to verify. */
export interface StateVault {
  hmac(purpose: 'bus state', content: Uint8Array): Buffer;
  hmacs(purpose: 'bus state', content: Uint8Array): readonly Buffer[];
}

/** One request comes from each gateway whose page is open, every few seconds. */
const limits = { intervalMs: 50, burst: 40, keysMax: 1, now: () => performance.now() };

/** Signs a request for states, or an answer to one. */
export function signState(vault: StateVault, body: Uint8Array): Uint8Array {
  return joinSignature(vault.hmac('bus state', body), body);
}

/** Returns what was signed; null when it was not signed with a secret of the instance. */
export function verifiedState(vault: StateVault, message: Uint8Array): Uint8Array | null {
  const { signature, body } = splitSignature(message);
  const isSigned = vault
    .hmacs('bus state', body)
    .some((hmac) => hmac.length === signature.length && timingSafeEqual(hmac, signature));
  return isSigned ? body : null;
}

/** Answers gateways that ask for the state of all processes, at most 20 times a second. */
export function answerStateRequests(options: {
  readonly bus: Pick<Bus, 'listen' | 'publish'>;
  readonly vault: StateVault;
  readonly read: () => ProcessState;
}): void {
  const { bus, vault, read } = options;
  const limiter = new RateLimiter(limits);
  bus.listen(subjects.stateRequest, (message) => {
    const request = verifiedState(vault, message);
    if (request === null || limiter.take('') > 0) return;
    bus.publish(subjects.stateAnswer, signState(vault, encodeState(stateRequestIdOf(request), read())));
  });
}
