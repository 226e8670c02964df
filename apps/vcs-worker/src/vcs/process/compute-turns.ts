import { setTimeout as wait } from 'node:timers/promises';
import { KeyedCounter, Semaphore } from '@trunkline/runtime/concurrency';

export interface ComputeTurnLimits {
  /** Number of long commands that compute at once. */
  readonly permits: number;
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
/** Part of a turn that a command has to compute; else it waits for its reader, and needs no turns. */
const busyShare = 0.1;

/**
 * Turns of the long commands of one worker: as many as have permits compute, the others are suspended. Callers take
 * turns, so that one caller's hundred commands delay the command of another caller by one turn.
 */
export class ComputeTurns {
  readonly #turnMs: number;
  readonly #idleMs: number;
  readonly #permits: Semaphore;
  readonly #commandsOf = new KeyedCounter<string>();
  readonly #permitsMax: number;

  constructor({ permits, turnMs = turnMsDefault, idleMs = idleMsDefault }: ComputeTurnLimits) {
    this.#permitsMax = permits;
    this.#turnMs = turnMs;
    this.#idleMs = idleMs;
    // Slots of lanes bound the number of commands, and so of those that wait here.
    this.#permits = new Semaphore({ limit: permits, queueMax: Infinity, refuse: (reason) => new Error(reason) });
  }

  /** Returns whether a caller has so many long commands that the next one takes turns from its start. */
  isBusy(caller: string): boolean {
    return this.#commandsOf.of(caller) >= this.#permitsMax;
  }

  /** Has a command compute in turns until it has ended. */
  async take(command: LongCommand): Promise<void> {
    this.#commandsOf.add(command.caller);
    try {
      while (!command.ended.aborted) await this.#turn(command);
    } catch (error) {
      if (!command.ended.aborted) throw error;
    } finally {
      this.#commandsOf.remove(command.caller);
    }
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
    } finally {
      this.#permits.release(null, caller);
    }
    if (usedMs < busyShare * this.#turnMs) await wait(this.#idleMs, undefined, { signal, ref: false });
  }
}
