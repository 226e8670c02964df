import { UnavailableError } from '@trunkline/contracts';
import type { StorageWatch } from '../serve/health/storage-health.ts';
import type { Storage } from './storage.ts';

/** A storage that this worker serves, and its state as this worker sees it. */
export interface ServedStorage {
  readonly storage: Storage;
  readonly watch: StorageWatch;
}

/** The storages that this worker serves. */
export interface Storages {
  readonly all: readonly ServedStorage[];
  readonly ids: readonly string[];
  readonly names: readonly string[];
  /** Returns the storages of this list that have the name. */
  only(name: string): Storages;
  /** Returns the storage of a repository or operation; throws UnavailableError when this worker does not serve it. */
  of(stored: { readonly storageId: string | null }): Storage;
  /** Like `of`, with the state of the storage. */
  servedOf(stored: { readonly storageId: string | null }): ServedStorage;
}

export function createStorages(all: readonly ServedStorage[]): Storages {
  const byId = new Map(all.map((served) => [served.storage.id, served]));
  const servedOf: Storages['servedOf'] = ({ storageId }) => {
    const served = byId.get(storageId ?? '');
    if (served) return served;
    throw new UnavailableError({ cause: new Error(`this worker does not serve the storage ${storageId}`) });
  };
  return {
    all,
    ids: [...byId.keys()],
    names: all.map(({ storage }) => storage.name),
    only: (name) => createStorages(all.filter(({ storage }) => storage.name === name)),
    of: (stored) => servedOf(stored).storage,
    servedOf,
  };
}
