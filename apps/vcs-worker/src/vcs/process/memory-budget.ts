import { totalmem } from 'node:os';
import { VcsError } from '../vcs-error.ts';
import { groupMemory } from './process-usage.ts';

export interface BudgetedChild {
  readonly pid: number | undefined;
  /** Kills the process group and fails what waits for it with this error. */
  readonly stop: (error: VcsError) => void;
  /** Returns whether a kept process has nothing to do. */
  readonly isIdle?: () => boolean;
  /** Returns the child's memory in bytes, where that is not the memory of its whole process group. */
  readonly measure?: (pid: number) => number;
}

interface Entry extends BudgetedChild {
  bytes: number;
  isStopped: boolean;
}

const intervalMs = 200;
/** What a child counts that has not been measured yet: about a tool that has just started. */
const newChildBytes = 16 * 1024 * 1024;
/** The largest child is killed above this share of the budget. */
const killShare = 1.25;
/** The largest child is also killed when the budget was exceeded for so long, because nothing else can start. */
const exceededMsMax = 2_000;

/**
 * Budget of the anonymous memory of all children, each with its process group. Above the budget no child starts, and
 * children without work are ended; the largest one is killed far above it, or when it stays exceeded.
 */
export class MemoryBudget {
  readonly #measure: (pid: number) => number;
  readonly #children = new Set<Entry>();
  readonly #waiting = new Set<() => void>();
  #bytesMax = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #exceededSince: number | null = null;
  #started = 0;
  #killed = 0;
  #starting = 0;

  constructor(measure: (pid: number) => number = groupMemory) {
    this.#measure = measure;
  }

  setLimit(bytesMax: number): void {
    this.#bytesMax = bytesMax;
  }

  /** The memory of all children, as measured last. */
  get usedBytes(): number {
    return this.#total();
  }

  /** The budget; Infinity for none. */
  get bytesMax(): number {
    return this.#bytesMax;
  }

  /** Children that run, that have been started so far, and that were stopped to take memory back. */
  get counts(): { readonly running: number; readonly started: number; readonly killed: number } {
    return { running: this.#children.size, started: this.#started, killed: this.#killed };
  }

  get isExceeded(): boolean {
    return this.#bytesMax !== Infinity && this.#total() > this.#bytesMax;
  }

  /** Counts a child until the returned function is called. */
  add(child: BudgetedChild): () => void {
    const entry: Entry = { ...child, bytes: newChildBytes, isStopped: false };
    this.#children.add(entry);
    this.#started += 1;
    this.#timer ??= setInterval(() => this.check(), intervalMs).unref();
    return () => {
      this.#children.delete(entry);
      if (this.#children.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#admit();
    };
  }

  /** Counts a child that starts until it runs, or has not started. */
  async whileStarting<T>(start: () => Promise<T>): Promise<T> {
    this.#starting += 1;
    try {
      return await start();
    } finally {
      this.#starting -= 1;
      if (!this.isExceeded) this.#admit();
    }
  }

  /** Throws VcsError `busy` while the budget is exceeded. */
  requireMemory(): void {
    if (this.isExceeded) throw new VcsError('busy', 'the memory of all children is above the budget');
  }

  /**
   * Waits until the budget is no longer exceeded, for `msMax` at most; then throws VcsError `busy`. Null stands for a child
   * that starts in any case.
   */
  async waitForMemory(msMax: number | null, signal?: AbortSignal): Promise<void> {
    if (msMax === null) return;
    if (msMax > 0 && this.isExceeded) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          this.#waiting.delete(done);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, msMax);
        signal?.addEventListener('abort', done, { once: true });
        if (signal?.aborted) done();
        else this.#waiting.add(done);
      });
    }
    if (!signal?.aborted) this.requireMemory();
  }

  /** Measures all children, and ends some of them when they use too much. */
  check(now = performance.now()): void {
    for (const entry of this.#children) entry.bytes = this.#bytesOf(entry);
    const idle = this.#largestFirst().filter((entry) => entry.isIdle?.());
    this.#stopSome(idle, this.#bytesMax);
    if (!this.isExceeded) {
      this.#exceededSince = null;
      this.#admit();
      return;
    }
    this.#exceededSince ??= now;
    const isLong = now - this.#exceededSince >= exceededMsMax;
    this.#stopSome(this.#largestFirst(), isLong ? this.#bytesMax : killShare * this.#bytesMax);
  }

  #bytesOf({ pid, measure = this.#measure }: Entry): number {
    return pid === undefined ? 0 : measure(pid);
  }

  /** Stops children one after the other until those that are not stopped use no more than `bytesMax`. */
  #stopSome(entries: readonly Entry[], bytesMax: number): void {
    for (const entry of entries) {
      if (this.#total((one) => !one.isStopped) <= bytesMax) return;
      entry.isStopped = true;
      this.#killed += 1;
      entry.stop(new VcsError('busy', `killed with ${entry.bytes} bytes: all children used more than the budget`));
    }
  }

  #largestFirst(): Entry[] {
    return [...this.#children].filter(({ isStopped }) => !isStopped).toSorted((a, b) => b.bytes - a.bytes);
  }

  #total(counts: (entry: Entry) => boolean = () => true): number {
    let total = this.#starting * newChildBytes;
    for (const entry of this.#children) if (counts(entry)) total += entry.bytes;
    return total;
  }

  #admit(): void {
    for (const done of this.#waiting) done();
  }
}

/** The budget of this process: every child counts, whichever part of the worker started it. */
export const memoryBudget = new MemoryBudget();

const bytesMin = 512 * 1024 * 1024;

/** Returns the default budget of all children: a quarter of the memory of this machine or, if smaller, of its cgroup. */
export function defaultChildMemory(): number {
  // 0 or undefined without a limit, depending on the version of Node.js.
  const constrained = process.constrainedMemory() || Infinity;
  return Math.max(bytesMin, Math.floor(Math.min(totalmem(), constrained) / 4));
}
