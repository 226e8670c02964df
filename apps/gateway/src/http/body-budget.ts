import { BusyError } from '@trunkline/contracts';
import { KeyedCounter } from '@trunkline/runtime/concurrency';

export interface BudgetLimits {
  /** Bytes that all bodies without a good key share, and again those with one. */
  readonly pendingBytesMax: number;
  /** Maximum bytes of one body, for which the budget always suffices. */
  readonly bodyBytesMax: number;
}

/** Part of the budget that one address, or one user, may hold. */
const partMax = 4;

/** Bytes of a body that are not counted: nearly all requests are smaller, and the number of connections bounds them. */
const freeBytes = 16 * 1024;

class Pool {
  readonly #bytesMax: number;
  readonly #bytesMaxPerKey: number;
  readonly #heldBy = new KeyedCounter<string>();
  #held = 0;

  constructor({ pendingBytesMax, bodyBytesMax }: BudgetLimits) {
    this.#bytesMax = Math.max(pendingBytesMax, partMax * bodyBytesMax);
    this.#bytesMaxPerKey = this.#bytesMax / partMax;
  }

  get held(): number {
    return this.#held;
  }

  tryTake(key: string, bytes: number): boolean {
    if (this.#held + bytes > this.#bytesMax || this.#heldBy.of(key) + bytes > this.#bytesMaxPerKey) return false;
    this.#held += bytes;
    this.#heldBy.add(key, bytes);
    return true;
  }

  release(key: string, bytes: number): void {
    this.#held -= bytes;
    this.#heldBy.remove(key, bytes);
  }
}

/** The bytes that one body holds of the budget. */
export class BodyAccount {
  readonly #known: Pool;
  #pool: Pool;
  #key: string;
  #bytes = 0;
  #closed = false;

  constructor(unknown: Pool, known: Pool, source: string) {
    this.#pool = unknown;
    this.#known = known;
    this.#key = source;
  }

  /** Counts a body of so many bytes in all; throws BusyError when the budget has not got them. */
  grow(bytesHeld: number): void {
    const more = Math.max(0, bytesHeld - freeBytes) - this.#bytes;
    if (more <= 0) return;
    if (!this.#pool.tryTake(this.#key, more)) throw new BusyError({ quota: 'bodies' });
    this.#bytes += more;
  }

  /** Counts the body towards its user from now on, so that it leaves the budget to bodies without a key. */
  assignTo(user: string): void {
    if (this.#closed || !this.#known.tryTake(user, this.#bytes)) return;
    this.#pool.release(this.#key, this.#bytes);
    this.#pool = this.#known;
    this.#key = user;
  }

  close(): void {
    if (!this.#closed) this.#pool.release(this.#key, this.#bytes);
    this.#closed = true;
  }
}

/**
 * Bounds the memory of all bodies of a gateway that are not complete, or whose key is not checked yet. Bodies that have
 * shown a good key have a pool of their own, so that those without one cannot keep them out.
 */
export class BodyBudget {
  readonly #unknown: Pool;
  readonly #known: Pool;

  constructor(limits: BudgetLimits) {
    this.#unknown = new Pool(limits);
    this.#known = new Pool(limits);
  }

  /** Bytes that are held, without and with a good key. */
  get held(): readonly [number, number] {
    return [this.#unknown.held, this.#known.held];
  }

  open(source: string): BodyAccount {
    return new BodyAccount(this.#unknown, this.#known, source);
  }
}
