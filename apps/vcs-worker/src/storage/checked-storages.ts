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

  private constructor(storages: Storages) {
    this.#storages = storages;
  }

  /** Reads the marker of the storage that is needed with most probability: the only one, or the one of this name. */
  static async open(storages: Storages, likely?: string): Promise<CheckedStorages> {
    const { all } = storages;
    const checked = new CheckedStorages(storages);
    const first = all.length === 1 ? all[0] : all.find(({ storage }) => storage.name === likely);
    if (first && (await first.storage.isOurs())) checked.#ours.add(first.storage.id);
    return checked;
  }

  /** Throws for a storage whose marker has not been read; `readMissing` reads it then, and the work is done again. */
  requireChecked(stored: { storageId: string | null }): void {
    const storage = this.#storages.of(stored);
    if (!this.#ours.has(storage.id)) throw new UncheckedStorageError(storage);
  }

  /**
   * Reads the marker for whose lack work has failed with this error; returns false for every other error. Throws
   * UnavailableError for a storage that is not there.
   */
  async readMissing(error: unknown): Promise<boolean> {
    if (!(error instanceof UncheckedStorageError)) return false;
    const { storage } = error;
    if (!(await storage.isOurs())) {
      throw new UnavailableError({ cause: new Error(`the storage ${storage.name} does not belong to this database`) });
    }
    this.#ours.add(storage.id);
    return true;
  }
}
