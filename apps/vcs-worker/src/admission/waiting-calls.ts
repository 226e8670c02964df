import { BusyError } from '@trunkline/contracts';
import { KeyedCounter } from '@trunkline/runtime/concurrency';

/** Bounds the calls of a lane that wait without a slot, for each key and in all. */
export class WaitingCalls {
  readonly #forOneMax: number;
  readonly #max: number;
  readonly #waitingFor = new KeyedCounter<string>();
  #count = 0;

  constructor(forOneMax: number, max: number) {
    this.#forOneMax = forOneMax;
    this.#max = max;
  }

  add(awaited: string): void {
    if (this.#count >= this.#max || this.#waitingFor.of(awaited) >= this.#forOneMax) throw new BusyError();
    this.#waitingFor.add(awaited);
    this.#count += 1;
  }

  remove(awaited: string): void {
    this.#waitingFor.remove(awaited);
    this.#count -= 1;
  }
}
