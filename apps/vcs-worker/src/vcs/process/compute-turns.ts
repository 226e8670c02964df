import { setTimeout as wait } from 'node:timers/promises';
import { KeyedCounter, nextLoadLimit, pauseAfter, Semaphore } from '@trunkline/runtime/concurrency';

export interface ComputeTurnLimits {
  /** Number of long commands that compute at once. */
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

const turnMsDefault = 100;
const idleMsDefault = 500;
/** Interval at which the limit follows the load, in milliseconds. */
const intervalMs = 100;
/** Part of the time that one command computes under lasting overload. */
const limitMin = 0.25;
/** Part of a turn that a command has to compute; else it waits for its reader, and needs no turns. */
const busyShare = 0.1;

/**
 * Turns of the long commands of one worker: as many as have permits compute, the others are suspended. Callers take
 * turns, so that one caller's hundred commands delay the command of another caller by one turn. While this process is
 * overloaded, as when it waits for a core, fewer compute at once, or one with pauses: everybody's short calls go first.
 */
export class ComputeTurns {
  readonly #turnMs: number;
  readonly #idleMs: number;
  readonly #permits: Semaphore;
  readonly #commandsOf = new KeyedCounter<string>();
  readonly #permitsMax: number;
  readonly #isOverloaded: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #commands = 0;
  #limit: number;

  constructor({ permits, isOverloaded = () => false, turnMs, idleMs }: ComputeTurnLimits) {
    this.#permitsMax = permits;
    this.#limit = permits;
    this.#isOverloaded = isOverloaded;
    this.#turnMs = turnMs ?? turnMsDefault;
    this.#idleMs = idleMs ?? idleMsDefault;
    // Slots of lanes bound the number of commands, and so of those that wait here.
    this.#permits = new Semaphore({ limit: permits, queueMax: Infinity, refuse: (reason) => new Error(reason) });
  }

  /** Returns whether a caller has so many long commands that the next one takes turns from its start. */
  isBusy(caller: string): boolean {
    return this.#commandsOf.of(caller) >= this.#permitsMax;
  }

  /** Has a command compute in turns until it has ended. */
  async take(command: LongCommand): Promise<void> {
    this.#begin(command.caller);
    try {
      while (!command.ended.aborted) await this.#turn(command);
    } catch (error) {
      if (!command.ended.aborted) throw error;
    } finally {
      this.#end(command.caller);
    }
  }

  #begin(caller: string): void {
    this.#commandsOf.add(caller);
    this.#commands += 1;
    this.#timer ??= setInterval(() => this.#follow(), intervalMs).unref();
  }

  #end(caller: string): void {
    this.#commandsOf.remove(caller);
    this.#commands -= 1;
    if (this.#commands > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #follow(): void {
    this.#limit = nextLoadLimit(this.#limit, this.#isOverloaded(), { min: limitMin, max: this.#permitsMax });
    this.#permits.resize(Math.max(Math.floor(this.#limit), 1));
  }

  async #turn(command: LongCommand): Promise<void> {
    const { caller, ended: signal } = command;
    if (!this.#permits.tryAcquire(null, caller)) {
      command.suspend();
      await this.#permits.acquire({ caller, signal });
      command.resume();
    }
    let usedMs: number;
    try {
      const before = command.cpuMs();
      await wait(this.#turnMs, undefined, { signal, ref: false });
      usedMs = command.cpuMs() - before;
      if (this.#limit < 1) await this.#pause(command);
    } finally {
      this.#permits.release(null, caller);
    }
    if (usedMs < busyShare * this.#turnMs) await wait(this.#idleMs, undefined, { signal, ref: false });
  }

  async #pause({ suspend, resume, ended: signal }: LongCommand): Promise<void> {
    suspend();
    await wait(pauseAfter(this.#turnMs, this.#limit), undefined, { signal, ref: false });
    resume();
  }
}
