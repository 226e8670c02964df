import { BusyError } from '@trunkline/contracts';
import { KeyedCounter } from '@trunkline/runtime/concurrency';

/** Limits the calls of a lane that wait without a slot, for each key and in all. */
export class WaitingCallsLimit {
  readonly #perKeyMax: number;
  readonly #max: number;
  readonly #waitingFor = new KeyedCounter<string>();
  #count = 0;

  constructor(perKeyMax: number, max: number) {
    this.#perKeyMax = perKeyMax;
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  add(awaitedKey: string): void {
    if (this.isFull || this.#waitingFor.of(awaitedKey) >= this.#perKeyMax)
      throw new BusyError({ quota: 'waiting_calls' });
    this.#waitingFor.add(awaitedKey);
    this.#count += 1;
  }

  remove(awaitedKey: string): void {
    this.#waitingFor.remove(awaitedKey);
    this.#count -= 1;
  }
}
