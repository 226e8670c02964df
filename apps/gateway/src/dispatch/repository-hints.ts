import { LRUCache } from 'lru-cache';

const keptMax = 10_000;

/** A repository as a gateway has last seen it. */
interface SeenRepository {
  readonly id: number;
  readonly name: string;
  /** Name of its storage; null when the gateway does not know the storage. */
  readonly storage: string | null;
}

/** Returns the id in a reference of digits alone; undefined for a name. */
function idIn(ref: string): number | undefined {
  return /^[0-9]+$/.test(ref) ? Number(ref) : undefined;
}

/**
 * The ids and storages of repositories as the gateway has last seen them. A name may have passed to another repository
 * since, and a repository may have moved: a hint decides the queue in which a call waits and the workers that are asked
 * first, nothing else.
 */
export class RepositoryHints {
  readonly #ids = new LRUCache<string, number>({ max: keptMax });
  /** By reference, as calls send it: an id in digits, or a name. */
  readonly #storages = new LRUCache<string, string>({ max: 2 * keptMax });

  set({ id, name, storage }: SeenRepository): void {
    this.#ids.set(name, id);
    if (storage === null) return;
    this.setStorage(String(id), storage);
    this.setStorage(name, storage);
  }

  setStorage(ref: string, storage: string): void {
    this.#storages.set(ref, storage);
  }

  idOf(ref: string): number | undefined {
    return idIn(ref) ?? this.#ids.get(ref);
  }

  storageOf(ref: string): string | undefined {
    return this.#storages.get(ref);
  }

  forgetStorage(ref: string): void {
    this.#storages.delete(ref);
  }
}
