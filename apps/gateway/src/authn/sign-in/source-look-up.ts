/** Returns those of the sources that are known. */
export type ReadKnownSources = (sources: readonly string[]) => Promise<ReadonlySet<string>>;

/** Looks sources up, one query at a time: the next query asks for all sources that have come meanwhile. */
export class SourceLookUp {
  readonly #read: ReadKnownSources;
  #waiting = new Set<string>();
  /** The query that the waiting sources share; null when none waits. */
  #next: Promise<ReadonlySet<string>> | null = null;
  #present: Promise<unknown> = Promise.resolve();

  constructor(read: ReadKnownSources) {
    this.#read = read;
  }

  async isKnown(source: string): Promise<boolean> {
    this.#waiting.add(source);
    this.#next ??= this.#readNext();
    return (await this.#next).has(source);
  }

  async #readNext(): Promise<ReadonlySet<string>> {
    await this.#present.catch(() => {});
    const sources = [...this.#waiting];
    this.#waiting = new Set();
    this.#next = null;
    const reading = this.#read(sources);
    this.#present = reading;
    return reading;
  }
}
