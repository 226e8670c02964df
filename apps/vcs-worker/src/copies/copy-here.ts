import { stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { type Db, storages } from '@trunkline/db';
import { readMarker, type StorageSetting } from '@trunkline/runtime';
import { eq } from 'drizzle-orm';
import type { ClaimedStorage } from '../storage/claim-storages.ts';
import type { ServedStorage, Storages } from '../storage/storages.ts';
import type { CopyCall, CopyTarget } from './copies.ts';
import type { Admitted, Arrivals } from './arrivals.ts';
import { HandedFiles } from './stream/handed-files.ts';
import { PieceReader } from './stream/frames.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

interface CopyStoragesOptions {
  readonly db: Db;
  /** Those that this worker serves. */
  readonly own: Pick<Storages, 'only'>;
  /** Those of other workers of this machine. */
  readonly settings: readonly StorageSetting[];
  readonly open: (claimed: ClaimedStorage) => Promise<ServedStorage>;
}

/** The storages to whose directories this worker writes copies: its own, and those of other workers of this machine. */
export class CopyStorages {
  readonly #options: CopyStoragesOptions;
  readonly #opened = new Map<string, ServedStorage>();

  constructor(options: CopyStoragesOptions) {
    this.#options = options;
  }

  /**
   * Returns the storage at which an action is done in this process; null when another worker has to do it. Of a storage
   * of another worker only the tree is written: without a worker there, the repository would not be served after it.
   */
  async find({ action, target }: CopyCall): Promise<ServedStorage | null> {
    const [own] = this.#options.own.only(target.storage).all;
    return own ?? (action.kind === 'send' ? this.#findBeside(target) : null);
  }

  /** Returns null when the path is not set, is no longer the storage's, or belongs to another user, who could not change the tree. */
  async #findBeside({ storage: name, operationId, attempt }: CopyTarget): Promise<ServedStorage | null> {
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

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Ends a stream within a large file, too, as a lost connection does. */
async function* untilAborted(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}

/**
 * Does one action of a copy in this process: its bytes pass neither a connection nor the bus, and have the limits of
 * those that come from other workers.
 */
export async function copyHere(arrivals: Arrivals, served: ServedStorage, call: CopyCall): Promise<unknown> {
  const { action, totalMs, body } = call;
  const { storage, operationId, attempt, storagePath } = call.target;
  const request = { id: randomUUID(), sentAt: Date.now(), storage, operationId, attempt, storagePath, action };
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(totalMs)]);
  const handed = new HandedFiles();
  const pieces = untilAborted(body?.(() => false, handed) ?? nothing(), signal);
  let admitted: Admitted | undefined;
  try {
    admitted = await retryWhileBusy(signal, () => arrivals.admit(served, request));
    return await admitted.run({ reader: new PieceReader(pieces), signal, handed });
  } catch (error) {
    call.signal.throwIfAborted();
    throw error;
  } finally {
    admitted?.release();
    // Closes the file that was being sent when the copy failed.
    await pieces.return(undefined);
    handed.close();
  }
}
