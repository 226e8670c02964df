import { storages, type Db } from '@trunkline/db';
import { readMarker, type StorageSetting } from '@trunkline/runtime';
import { eq } from 'drizzle-orm';
import { stat } from 'node:fs/promises';
import type { ClaimedStorage } from '../storage/claim-storages.ts';
import type { ServedStorage } from '../storage/storages.ts';
import type { CopyTarget } from './copies.ts';

export interface CopyStoragesOptions {
  readonly db: Db;
  readonly settings: readonly StorageSetting[];
  readonly open: (claimed: ClaimedStorage) => Promise<ServedStorage>;
}

/** Storages of other workers of this machine, to whose directories this worker may write copies. */
export class CopyStorages {
  readonly #options: CopyStoragesOptions;
  readonly #opened = new Map<string, ServedStorage>();

  constructor(options: CopyStoragesOptions) {
    this.#options = options;
  }

  /**
   * Returns the storage to which a copy that has begun can be written here; null when its own worker has to write it:
   * the path is not set, is no longer the storage's, or belongs to another user, who could not change what is written.
   */
  async find({ storage: name, operationId, attempt }: CopyTarget): Promise<ServedStorage | null> {
    const found = this.#opened.get(name) ?? (await this.#open(name));
    if (!found || !(await found.storage.isOurs())) return null;
    const staging = await stat(found.storage.staging(operationId, attempt)).catch(() => null);
    return staging?.uid === process.geteuid?.() ? found : null;
  }

  async #open(name: string): Promise<ServedStorage | null> {
    const { db, settings, open } = this.#options;
    const setting = settings.find((one) => one.name === name);
    if (!setting) return null;
    const [row] = await db.select({ id: storages.id }).from(storages).where(eq(storages.name, name));
    // Looked at before anything is made there: the disk may not be mounted.
    if (!row || (await readMarker(setting.root)) !== row.id) return null;
    const opened = await open({ ...setting, id: row.id });
    this.#opened.set(name, opened);
    return opened;
  }
}
