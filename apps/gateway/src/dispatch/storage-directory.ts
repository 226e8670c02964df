import type { KnownStorage } from './storage-store.ts';
import type { Clock } from '../clock.ts';

/** Time after which the list of storages is read again; calls do not wait for that. */
const freshMs = 5_000;

interface Listed {
  readonly at: number;
  readonly storages: readonly KnownStorage[];
}

/** The storages that the database knows, as a gateway has last read them. */
export class StorageDirectory {
  readonly #read: () => Promise<readonly KnownStorage[]>;
  readonly #clock: Clock;
  #listed: Listed | undefined;
  #reading: Promise<readonly KnownStorage[]> | undefined;

  constructor(read: () => Promise<readonly KnownStorage[]>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** Returns all storages. Only the first call waits for the database, and fails when the database does. */
  async all(): Promise<readonly KnownStorage[]> {
    const listed = this.#listed;
    if (!listed || listed.storages.length === 0) return this.refreshed();
    // The storages of the last successful read are used on, also while the database cannot be reached.
    if (this.#clock.now() - listed.at >= freshMs) void this.refreshed().catch(() => {});
    return listed.storages;
  }

  /** Reads the storages again. */
  refreshed(): Promise<readonly KnownStorage[]> {
    this.#reading ??= this.#read()
      .then((storages) => {
        this.#listed = { at: this.#clock.now(), storages };
        return storages;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  nameOf(id: string): string | null {
    return this.#listed?.storages.find((one) => one.id === id)?.name ?? null;
  }
}
