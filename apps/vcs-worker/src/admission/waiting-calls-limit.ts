import { BusyError } from '@trunkline/contracts';
import { KeyedCounter } from '@trunkline/runtime/concurrency';

interface WaitingLimits {
  readonly perKeyMax: number;
  readonly perCallerMax: number;
  readonly max: number;
}

/** Limits the calls of a lane that wait without a slot, for each key, of each caller, and in all. */
export class WaitingCallsLimit {
  readonly #limits: WaitingLimits;
  readonly #waitingFor = new KeyedCounter<string>();
  readonly #ofCaller = new KeyedCounter<string>();
  #count = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  get isFull(): boolean {
    return this.#count >= this.#limits.max;
  }

  add(awaitedKey: string, caller: string): void {
    const { perKeyMax, perCallerMax } = this.#limits;
    const hasShare = this.#waitingFor.of(awaitedKey) < perKeyMax && this.#ofCaller.of(caller) < perCallerMax;
    if (this.isFull || !hasShare) throw new BusyError({ quota: 'waiting_calls' });
    this.#waitingFor.add(awaitedKey);
    this.#ofCaller.add(caller);
    this.#count += 1;
  }

  remove(awaitedKey: string, caller: string): void {
    this.#waitingFor.remove(awaitedKey);
    this.#ofCaller.remove(caller);
    this.#count -= 1;
  }
}
