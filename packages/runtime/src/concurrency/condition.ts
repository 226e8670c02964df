/** Lets any number of callers wait for the next change of a state, which each of them then looks at again. */
export class Condition {
  #notify = (): void => {};
  #changed: Promise<void> | null = null;

  /** Resolves at the next `notifyAll`. */
  wait(): Promise<void> {
    this.#changed ??= new Promise((resolve) => (this.#notify = resolve));
    return this.#changed;
  }

  notifyAll(): void {
    this.#changed = null;
    this.#notify();
  }
}
