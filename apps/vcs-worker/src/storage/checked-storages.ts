import { UnavailableError } from '@trunkline/contracts';
import type { Storage } from './storage.ts';

type Checked = Pick<Storage, 'id' | 'name' | 'isOurs'>;

interface Storages {
  readonly all: readonly { readonly storage: Checked }[];
  readonly of: (stored: { storageId: string | null }) => Checked;
}

/** Ends a transaction that needs a storage whose marker has not been read yet. */
class UncheckedStorageError extends Error {
  override readonly name = 'UncheckedStorageError';
  readonly storage: Checked;

  constructor(storage: Checked) {
    super(`the marker of the storage ${storage.name} has not been read`);
    this.storage = storage;
  }
}

/**
 * Reads the markers of storages outside of transactions, which a disk that hangs would otherwise keep open: an operation
 * can be neither run nor undone without its storage.
 */
export class CheckedStorages {
  readonly #storages: Storages;
  readonly #ours = new Set<string>();
  /** Name of the storage that is probably needed. */
  readonly #likely: string | undefined;

  constructor(storages: Storages, likely?: string) {
    this.#storages = storages;
    this.#likely = likely;
  }

  /**
   * Runs an attempt that names the storage of what it does; runs it again after the marker of that storage was read.
   * Throws UnavailableError for a storage that is not there, or that this worker does not serve.
   */
  async run<T>(attempt: (requireChecked: (stored: { storageId: string | null }) => void) => Promise<T>): Promise<T> {
    const { all } = this.#storages;
    // What is likely need not be tried first.
    const first = all.length === 1 ? all[0] : all.find(({ storage }) => storage.name === this.#likely);
    if (first && (await first.storage.isOurs())) this.#ours.add(first.storage.id);
    for (;;) {
      try {
        return await attempt((stored) => this.#requireChecked(stored));
      } catch (error) {
        if (!(error instanceof UncheckedStorageError)) throw error;
        await this.#check(error.storage);
      }
    }
  }

  #requireChecked(stored: { storageId: string | null }): void {
    const storage = this.#storages.of(stored);
    if (!this.#ours.has(storage.id)) throw new UncheckedStorageError(storage);
  }

  async #check(storage: Checked): Promise<void> {
    if (!(await storage.isOurs())) {
      throw new UnavailableError({ cause: new Error(`the storage ${storage.name} does not belong to this database`) });
    }
    this.#ours.add(storage.id);
  }
}
