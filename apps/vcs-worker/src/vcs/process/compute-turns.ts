import { setTimeout as wait } from 'node:timers/promises';
import { KeyedCounter, nextLoadLimit, pauseAfter, Semaphore } from '@trunkline/runtime/concurrency';

export interface ComputeTurnLimits {
  /** Number of long commands that compute at once, and of one caller's commands beyond which the next take turns. */
  readonly permits: number;
  /** Returns whether this process has been overloaded since the last call. */
  readonly isOverloaded?: () => boolean;
  /** Length of a turn, in milliseconds. */
  readonly turnMs?: number;
  /** Interval at which a command that waits for its reader is looked at, in milliseconds. */
  readonly idleMs?: number;
}

/** A command that has used much processor time. */
export interface LongCommand {
  readonly caller: string;
  /** Aborts when the command has ended. */
  readonly ended: AbortSignal;
  suspend(): void;
  resume(): void;
  /** Returns the processor time used so far, in milliseconds. */
  cpuMs(): number;
}

/** A command that is to start. */
export interface StartingCommand {
  /** Aborts when the command has ended, or does not start. */
  readonly ended: AbortSignal;
  readonly isSuspendable: boolean;
}

/** Ends a turn, at most once. */
export type EndTurn = () => void;

const turnMsDefault = 100;
const idleMsDefault = 500;
/** Interval at which the limit follows the load, in milliseconds. */
const intervalMs = 100;
/** Part of the time that one command computes under lasting overload. */
const limitMin = 0.25;
/** Maximum wait for the turn before a start, in milliseconds; afterwards the command starts, and is suspended at once. */
const startMsMax = 10_000;
/** The same for a command that is never suspended: most of these are short, and one call runs several. */
const startMsMaxOfShort = 1_000;
/** Part of a turn that a command has to compute; else it waits for its reader, and needs no turns. */
const busyShare = 0.1;

/**
 * Turns of the long commands of one worker: as many as have permits compute, the others are suspended. Callers take
 * turns, and those with more commands than there are permits have permits of their own, so that their hundred commands do
 * not delay the one command of another caller. While this process is overloaded, as when it waits for a core, fewer of
 * these compute at once, or one with pauses, and the next one starts when it has its turn: everybody's short calls go
 * first.
 */
export class ComputeTurns {
  readonly #turnMs: number;
  readonly #idleMs: number;
  readonly #permits: Semaphore;
  readonly #permitsOfBusy: Semaphore;
  readonly #commandsOf = new KeyedCounter<string>();
  readonly #permitsMax: number;
  readonly #measureLoad: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #commands = 0;
  #limit: number;
  #followedAt = performance.now();

  constructor({ permits, isOverloaded = () => false, turnMs, idleMs }: ComputeTurnLimits) {
    this.#permitsMax = permits;
    this.#limit = permits;
    this.#measureLoad = isOverloaded;
    this.#turnMs = turnMs ?? turnMsDefault;
    this.#idleMs = idleMs ?? idleMsDefault;
    // Slots of lanes bound the number of commands, and so of those that wait here.
    const limits = { limit: permits, queueMax: Infinity, refuse: (reason: string) => new Error(reason) };
    this.#permits = new Semaphore(limits);
    this.#permitsOfBusy = new Semaphore(limits);
  }

  /** Counts a command, of a caller or of an operation, until it has ended. */
  count(caller: string | undefined, ended: AbortSignal): void {
    if (caller !== undefined) this.#commandsOf.add(caller);
    this.#commands += 1;
    if (this.#timer === undefined) {
      this.#catchUp();
      this.#timer = setInterval(() => this.#follow(), intervalMs).unref();
    }
    ended.addEventListener('abort', () => this.#uncount(caller), { once: true });
  }

  #uncount(caller: string | undefined): void {
    if (caller !== undefined) this.#commandsOf.remove(caller);
    this.#commands -= 1;
    if (this.#commands > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Returns whether a caller has more commands than may compute at once: these are long from their start. */
  isBusy(caller: string): boolean {
    return this.#commandsOf.of(caller) > this.#permitsMax;
  }

  /** Whether this process has been overloaded lately; the limit follows the load when a command is counted, and every 100 ms. */
  get isOverloaded(): boolean {
    return this.#limit < this.#permitsMax;
  }

  /** Returns whether a command that has been counted starts with less: under overload, unless its caller has no other. */
  startsLowered(caller: string | undefined): boolean {
    return this.isOverloaded && (caller === undefined || this.#commandsOf.of(caller) > 1);
  }

  /**
   * Waits, under overload, until a command of a busy caller has its first turn before it starts: a client that hangs up
   * and asks again costs a waiter, not a process. Returns what ends the turn; nothing when there is none.
   */
  async admit(
    caller: string,
    { ended, isSuspendable }: StartingCommand,
    signal?: AbortSignal,
  ): Promise<EndTurn | undefined> {
    if (!this.isOverloaded || !this.isBusy(caller)) return undefined;
    const permits = this.#permitsOfBusy;
    const timeoutMs = isSuspendable ? startMsMax : startMsMaxOfShort;
    try {
      await permits.acquire({ caller, signal, timeoutMs });
    } catch {
      return undefined;
    }
    const end = this.#beginTurn(permits, caller);
    if (ended.aborted) end();
    else ended.addEventListener('abort', end, { once: true });
    return end;
  }

  /** Ends the first turn of a command that takes no others. */
  endInTime(endFirst: EndTurn): void {
    setTimeout(endFirst, this.#turnMs).unref();
  }

  /** Has a command compute in turns until it has ended; the first one has begun where there is an end of it. */
  async take(command: LongCommand, endFirst?: EndTurn): Promise<void> {
    try {
      await this.#turn(command, endFirst);
      while (!command.ended.aborted) await this.#turn(command);
    } catch (error) {
      if (!command.ended.aborted) throw error;
    }
  }

  #follow(isOverloaded = this.#measureLoad()): void {
    this.#followedAt = performance.now();
    this.#limit = nextLoadLimit(this.#limit, isOverloaded, { min: limitMin, max: this.#permitsMax });
    this.#permitsOfBusy.resize(Math.max(Math.floor(this.#limit), 1));
  }

  /** Has the limit follow the time in which there were no commands, and so no timer. */
  #catchUp(): void {
    const missed = Math.floor((performance.now() - this.#followedAt) / intervalMs);
    if (missed === 0) return;
    const isOverloaded = this.#measureLoad();
    this.#follow(isOverloaded);
    if (isOverloaded) return;
    for (let step = 1; step < missed && this.isOverloaded; step += 1) this.#follow(false);
  }

  /** Begins a turn with a permit, which under lasting overload is kept for a while after the turn. */
  #beginTurn(permits: Semaphore, caller: string): EndTurn {
    const begun = performance.now();
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const release = () => permits.release(null, caller);
      // A turn that begins before the start of its command lasts longer by that.
      const usedMs = Math.min(performance.now() - begun, this.#turnMs);
      const pauseMs = permits === this.#permitsOfBusy ? pauseAfter(usedMs, this.#limit) : 0;
      if (pauseMs > 0) setTimeout(release, pauseMs).unref();
      else release();
    };
  }

  async #acquire({ caller, ended: signal, suspend, resume }: LongCommand): Promise<EndTurn> {
    const permits = this.isBusy(caller) ? this.#permitsOfBusy : this.#permits;
    if (!permits.tryAcquire(null, caller)) {
      suspend();
      await permits.acquire({ caller, signal });
      resume();
    }
    return this.#beginTurn(permits, caller);
  }

  async #turn(command: LongCommand, endFirst?: EndTurn): Promise<void> {
    const end = endFirst ?? (await this.#acquire(command));
    let usedMs: number;
    const { ended: signal } = command;
    try {
      const before = command.cpuMs();
      await wait(this.#turnMs, undefined, { signal, ref: false });
      usedMs = command.cpuMs() - before;
    } finally {
      end();
    }
    if (usedMs < busyShare * this.#turnMs) await wait(this.#idleMs, undefined, { signal, ref: false });
  }
}
