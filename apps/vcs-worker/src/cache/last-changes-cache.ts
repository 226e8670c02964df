import type { CacheFigures } from '@trunkline/runtime/concurrency';
import type { LastChanges, ListedChangeset } from '../vcs/last-changes.ts';
import type { AtGeneration, CacheNamespace, GenerationCache } from './generation-cache.ts';

/** Memory of an entry and of a changeset beside their texts, in bytes, rounded up. */
const [bytesOfEntry, bytesOfChangeset] = [150, 400];

function bytesOf({ newest, entries }: LastChanges): number {
  const changesets = new Set<ListedChangeset>(entries.values());
  if (newest) changesets.add(newest);
  let bytes = 0;
  for (const name of entries.keys()) bytes += 2 * name.length + bytesOfEntry;
  for (const { author, message } of changesets) bytes += 2 * (author.length + message.length) + bytesOfChangeset;
  return bytes;
}

interface Bounds {
  /** How long a page waits, in milliseconds. */
  readonly pageMsMax: number;
  /** How long a read goes on without its page, in milliseconds. */
  readonly behindMsMax: number;
  /** How many reads go on without their pages at a time, each of another repository. */
  readonly behindMax: number;
}

/**
 * The last changes of directories. A page does not wait for those that take long: their read goes on without it, for the
 * next one.
 */
export class LastChangesCache {
  readonly #values: CacheNamespace<LastChanges>;
  readonly #bounds: Bounds;
  /** The repositories of which a read goes on without its page. */
  readonly #behind = new Set<string>();
  readonly #closing = new AbortController();

  constructor(cache: GenerationCache, bounds: Bounds) {
    this.#values = cache.namespace({ bytesOf });
    this.#bounds = bounds;
  }

  get figures(): CacheFigures {
    return this.#values.figures;
  }

  /** Returns the value of a key; null when it takes longer than a page waits. Errors are those of `read`. */
  async get(
    repository: AtGeneration,
    key: readonly string[],
    read: (signal: AbortSignal) => Promise<LastChanges>,
    signal: AbortSignal,
  ): Promise<LastChanges | null> {
    const page = new AbortController();
    const timer = setTimeout(() => {
      // Before the page leaves, since a read without a call ends.
      this.#goOn(repository, key, read);
      page.abort();
    }, this.#bounds.pageMsMax);
    try {
      return await this.#values.get(repository, key, read, AbortSignal.any([signal, page.signal]));
    } catch (error) {
      if (page.signal.aborted && !signal.aborted) return null;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends what goes on. */
  close(): void {
    this.#closing.abort();
  }

  #goOn(repository: AtGeneration, key: readonly string[], read: (signal: AbortSignal) => Promise<LastChanges>): void {
    const { uuid } = repository;
    if (this.#behind.has(uuid) || this.#behind.size >= this.#bounds.behindMax) return;
    this.#behind.add(uuid);
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#bounds.behindMsMax)]);
    void this.#values
      .get(repository, key, read, signal)
      // The next page that asks gets the error.
      .catch(() => {})
      .finally(() => this.#behind.delete(uuid));
  }
}
