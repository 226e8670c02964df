import { decodeOperationEnded, subjects } from '@trunkline/contracts';
import type { Bus } from './bus/bus.ts';
import type { Logger } from './logger.ts';

/** Watched operation, or watched repository: all operations that run on it or fork it. */
export type Watched =
  | { readonly kind: 'operation'; readonly id: string }
  | { readonly kind: 'repository'; readonly id: number };

interface EndWatchOptions {
  readonly bus: Pick<Bus, 'listen' | 'onReconnect'>;
  /**
   * Reads from the database which watched operations have ended and which watched repositories have no running
   * operation: messages may be lost, and a worker may die before it publishes an end.
   */
  readonly findEnded: (watched: readonly Watched[]) => Promise<readonly Watched[]>;
  /** Delay of the first look-up of a new watch; short where the operation may have ended before the watch began. */
  readonly firstLookUpMs: number;
  readonly logger: Pick<Logger, 'warn'>;
}

const lookUpEveryMs = { min: 10_000, max: 20_000 };
const soonMs = 500;
const lookedUpAtOnceMax = 1_000;

interface Entry {
  readonly watched: Watched;
  readonly callbacks: Set<() => void>;
}

function keyOf({ kind, id }: Watched): string {
  return `${kind} ${id}`;
}

/**
 * Calls back when operations may have ended. Workers publish each end; because messages may be lost, the watches of a
 * process are also looked up in the database in batches, every 10 to 20 s and after a reconnection.
 */
export class EndWatch {
  readonly #options: EndWatchOptions;
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #isLookingUp = false;
  #stopped = false;

  constructor(options: EndWatchOptions) {
    this.#options = options;
    options.bus.listen(subjects.operationEnded, (payload) => this.#onMessage(payload));
    options.bus.onReconnect(() => this.#schedule(Math.random() * soonMs));
  }

  /**
   * Calls back each time the watched operation, or an operation of the watched repository, may have ended, until the
   * returned function is called.
   */
  watch(watched: Watched, mayHaveEnded: () => void): () => void {
    const key = keyOf(watched);
    const entry = this.#entries.get(key) ?? { watched, callbacks: new Set() };
    entry.callbacks.add(mayHaveEnded);
    this.#entries.set(key, entry);
    this.#schedule(this.#options.firstLookUpMs);
    if (this.#stopped) queueMicrotask(mayHaveEnded);
    return () => {
      entry.callbacks.delete(mayHaveEnded);
      if (entry.callbacks.size === 0 && this.#entries.get(key) === entry) this.#entries.delete(key);
      if (this.#entries.size === 0) this.#cancel();
    };
  }

  /** Calls back every watch now, and every new watch at once, because the process is told to stop. */
  stop(): void {
    this.#stopped = true;
    for (const { watched } of this.#entries.values()) this.#callBack(watched);
  }

  #callBack(watched: Watched): void {
    // Iterates over a copy, because a callback may end its watch or begin another one.
    for (const mayHaveEnded of new Set(this.#entries.get(keyOf(watched))?.callbacks)) {
      try {
        mayHaveEnded();
      } catch (error) {
        this.#options.logger.warn({ err: error }, 'a watch of an operation failed');
      }
    }
  }

  #onMessage(payload: Uint8Array): void {
    if (this.#entries.size === 0) return;
    const message = decodeOperationEnded(payload);
    if (!message) return this.#schedule(soonMs);
    this.#callBack({ kind: 'operation', id: message.operationId });
    this.#callBack({ kind: 'repository', id: message.repositoryId });
    // Calls may wait for the end of a fork to change its source.
    if (message.sourceRepositoryId !== null) this.#callBack({ kind: 'repository', id: message.sourceRepositoryId });
  }

  #schedule(ms: number): void {
    const at = performance.now() + ms;
    if (this.#entries.size === 0 || at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => void this.#lookUp(), ms).unref();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Infinity;
  }

  /** Returns as many watches as one query takes, those first whose last look-up was the longest ago. */
  #nextToLookUp(): Watched[] {
    const chosen = [...this.#entries].slice(0, lookedUpAtOnceMax);
    for (const [key, entry] of chosen) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return chosen.map(([, { watched }]) => watched);
  }

  async #lookUp(): Promise<void> {
    this.#cancel();
    if (this.#isLookingUp) return this.#schedule(soonMs);
    this.#isLookingUp = true;
    try {
      for (const watched of await this.#options.findEnded(this.#nextToLookUp())) this.#callBack(watched);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'ends of operations could not be looked up');
    } finally {
      this.#isLookingUp = false;
      this.#schedule(lookUpEveryMs.min + Math.random() * (lookUpEveryMs.max - lookUpEveryMs.min));
    }
  }
}
