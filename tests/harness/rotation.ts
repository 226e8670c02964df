/** The gateways that clients use in turn, as behind a balancer. */
export class Rotation {
  readonly #running = new Map<string, Set<Promise<unknown>>>();
  #turns = 0;

  add(url: string): void {
    this.#running.set(url, new Set());
  }

  /** Acts by the next gateway. */
  async use<T>(act: (url: string) => Promise<T>): Promise<T> {
    const all = [...this.#running];
    this.#turns += 1;
    const [url, running] = all[this.#turns % all.length] ?? [];
    if (url === undefined || running === undefined) throw new Error('there is no gateway');
    const work = act(url);
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  }

  /** Leaves out a gateway from now on; resolves when what was begun by it has ended. */
  async remove(url: string): Promise<void> {
    const running = this.#running.get(url) ?? new Set<Promise<unknown>>();
    this.#running.delete(url);
    await Promise.allSettled(running);
  }
}
