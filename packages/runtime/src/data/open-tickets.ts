interface Entry<Held> {
  readonly held: Held;
  readonly until: number;
}

/** Tickets that may still be used, with what each is for. All live equally long, so that one timer serves all. */
export class OpenTickets<Held> {
  readonly #limits: { readonly ticketsMax: number; readonly lifeMs: number };
  readonly #expired: (held: Held) => void;
  // In the order of expiry.
  readonly #entries = new Map<string, Entry<Held>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: { ticketsMax: number; lifeMs: number }, expired: (held: Held) => void) {
    this.#limits = limits;
    this.#expired = expired;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds a ticket; returns false when there are too many. */
  add(ticket: string, held: Held): boolean {
    if (this.#entries.size >= this.#limits.ticketsMax) return false;
    this.#entries.set(ticket, { held, until: performance.now() + this.#limits.lifeMs });
    this.#timer ??= setTimeout(() => this.#expire(), this.#limits.lifeMs);
    return true;
  }

  /** Returns what a valid ticket is for; it stays valid. */
  find(ticket: string): Held | undefined {
    const entry = this.#entries.get(ticket);
    // The timer of a process that was paused is late.
    return entry && entry.until > performance.now() ? entry.held : undefined;
  }

  /** Ends a ticket that was used. */
  remove(ticket: string): void {
    this.#entries.delete(ticket);
  }

  /** Lets one ticket expire, unless it was used. */
  expire(ticket: string): void {
    const entry = this.#entries.get(ticket);
    if (!entry) return;
    this.#entries.delete(ticket);
    this.#expired(entry.held);
  }

  /** Lets all tickets expire. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#expireUntil(Infinity);
  }

  #expire(): void {
    this.#expireUntil(performance.now());
    const [first] = this.#entries.values();
    this.#timer = first && setTimeout(() => this.#expire(), Math.max(1, first.until - performance.now()));
  }

  #expireUntil(time: number): void {
    for (const [ticket, { held, until }] of this.#entries) {
      if (until > time) return;
      this.#entries.delete(ticket);
      this.#expired(held);
    }
  }
}
