import { hash } from 'node:crypto';
import { SingleFlight, type CacheFigures } from '@trunkline/runtime/concurrency';
import { LRUCache } from 'lru-cache';

/** A repository as it is between two changes of its bytes. */
export interface AtGeneration {
  readonly uuid: string;
  readonly generation: number;
}

interface Entry extends AtGeneration {
  readonly bytes: number;
  /** Takes the value out of its namespace. */
  readonly forget: () => void;
}

/** The values of one repository: their names, the least recently used first. */
interface Share {
  readonly generation: number;
  readonly names: Set<string>;
  bytes: number;
}

interface NamespaceOptions<Value> {
  readonly bytesOf: (value: Value) => number;
  /** Milliseconds for which a value is cached; without a limit when absent. */
  readonly msMax?: number;
}

/** Memory of a value beside its own bytes, with its key: measured, and rounded up. */
const entryBytes = 1_024;
/** A repository has at most this part of the memory. */
const sharePart = 1 / 4;

/**
 * Values of repositories at their generations, in namespaces that share one budget of bytes. The least recently used
 * go first; a repository at its share loses its own. The first value of a new generation removes all former ones.
 */
export class GenerationCache {
  readonly bytesMax: number;
  readonly #shareMax: number;
  readonly #entries: LRUCache<string, Entry>;
  readonly #shares = new Map<string, Share>();
  #namespaces = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
    this.#shareMax = Math.floor(bytesMax * sharePart);
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (entry, name) => this.#forget(entry, name),
    });
  }

  namespace<Value extends object>(options: NamespaceOptions<Value>): CacheNamespace<Value> {
    this.#namespaces += 1;
    return new CacheNamespace(this, `${this.#namespaces} `, options);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  use(name: string): void {
    const entry = this.#entries.get(name);
    const names = entry && this.#shares.get(entry.uuid)?.names;
    if (names?.delete(name)) names.add(name);
  }

  mayHold(bytes: number): boolean {
    return bytes <= this.#shareMax;
  }

  /** Returns whether a value of a later generation is cached: a read may end after the write that came meanwhile. */
  isPast({ uuid, generation }: AtGeneration): boolean {
    return generation < (this.#shares.get(uuid)?.generation ?? 0);
  }

  keep(name: string, entry: Entry, msMax: number): void {
    const share = this.#shareFor(entry);
    share.names.add(name);
    share.bytes += entry.bytes;
    this.#entries.set(name, entry, { ttl: msMax });
    // The new one is the last, and fits.
    for (const oldest of share.names) {
      if (share.bytes <= this.#shareMax) break;
      this.#entries.delete(oldest);
    }
  }

  /** Returns the share of a repository; values of its other generations go, since no call asks for them any more. */
  #shareFor({ uuid, generation }: AtGeneration): Share {
    const present = this.#shares.get(uuid);
    if (present?.generation === generation) return present;
    for (const name of present?.names ?? []) this.#entries.delete(name);
    const share = { generation, names: new Set<string>(), bytes: 0 };
    this.#shares.set(uuid, share);
    return share;
  }

  #forget(entry: Entry, name: string): void {
    entry.forget();
    const share = this.#shares.get(entry.uuid);
    if (!share?.names.delete(name)) return;
    share.bytes -= entry.bytes;
    if (share.names.size === 0) this.#shares.delete(entry.uuid);
  }
}

/** The values of one kind; concurrent reads of a value that is not cached share one read. */
export class CacheNamespace<Value extends object> {
  readonly #cache: GenerationCache;
  readonly #prefix: string;
  readonly #options: NamespaceOptions<Value>;
  readonly #values = new Map<string, Value>();
  readonly #reads = new SingleFlight<Value>();
  readonly #counts = { lookUps: 0, hits: 0, misses: 0 };
  #bytes = 0;

  constructor(cache: GenerationCache, prefix: string, options: NamespaceOptions<Value>) {
    this.#cache = cache;
    this.#prefix = prefix;
    this.#options = options;
  }

  get figures(): CacheFigures {
    const { lookUps, hits, misses } = this.#counts;
    return { hits, misses, shared: lookUps - hits - misses, entries: this.#values.size, bytes: this.#bytes };
  }

  /**
   * Returns the value of a key. A read that fails is not cached, and fails for every call that shares it. The read's
   * signal aborts when the signals of all calls that share it have aborted.
   */
  async get(
    repository: AtGeneration,
    key: readonly string[],
    read: (signal: AbortSignal) => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    const { uuid, generation } = repository;
    const digest = hash('sha256', JSON.stringify([uuid, generation, ...key]), 'base64');
    const cached = this.find(digest);
    this.#counts.lookUps += 1;
    if (cached) {
      this.#counts.hits += 1;
      return cached;
    }
    const work = async (shared: AbortSignal) => {
      this.#counts.misses += 1;
      const value = await read(shared);
      this.keep(repository, digest, value);
      return value;
    };
    return this.#reads.run(digest, work, signal);
  }

  has(digest: string): boolean {
    return this.#cache.has(this.#prefix + digest);
  }

  /** Returns the value of a digest, which names the repository, its generation and all else that the value depends on. */
  find(digest: string): Value | undefined {
    this.#cache.use(this.#prefix + digest);
    return this.#values.get(digest);
  }

  /** Returns what a value is counted with; null for one that is larger than the share of a repository. */
  bytesOf(value: Value): number | null {
    const bytes = this.#options.bytesOf(value) + entryBytes;
    return this.#cache.mayHold(bytes) ? bytes : null;
  }

  keep({ uuid, generation }: AtGeneration, digest: string, value: Value): void {
    const bytes = this.bytesOf(value);
    // A value may have been read twice, when all calls that wanted it had left the first read.
    if (bytes === null || this.find(digest) || this.#cache.isPast({ uuid, generation })) return;
    const forget = () => {
      this.#values.delete(digest);
      this.#bytes -= bytes;
    };
    this.#values.set(digest, value);
    this.#bytes += bytes;
    this.#cache.keep(this.#prefix + digest, { uuid, generation, bytes, forget }, this.#options.msMax ?? 0);
  }
}
