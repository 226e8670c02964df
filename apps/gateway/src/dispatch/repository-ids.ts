import { LRUCache } from 'lru-cache';

const keptMax = 10_000;

/**
 * The ids of repositories by the names under which pages found them. A name may have passed to another repository
 * since, so an id from here decides nothing but the queue in which a call waits.
 */
export class RepositoryIds {
  readonly #ids = new LRUCache<string, number>({ max: keptMax });

  note({ id, name }: { readonly id: number; readonly name: string }): void {
    this.#ids.set(name, id);
  }

  idOf(name: string): number | undefined {
    return this.#ids.get(name);
  }
}
