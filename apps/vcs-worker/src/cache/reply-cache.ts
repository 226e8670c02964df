import { hash } from 'node:crypto';
import { encodeResult, type ServedName } from '@trunkline/contracts';
import { SingleFlight, type CacheFigures } from '@trunkline/runtime/concurrency';
import type { RepositoryAccess } from '../authz/authorize.ts';
import type { AtGeneration, CacheNamespace, GenerationCache } from './generation-cache.ts';

/** The reads whose results depend on the repository's bytes and the arguments alone: not on the caller, rows or time. */
const cachedReads: ReadonlySet<ServedName> = new Set<ServedName>([
  'get_changeset',
  'get_changesets',
  'get_repo_file',
  'get_repo_nodes',
  'get_repo_refs',
  'list_refs',
  'refs_of',
  'view_changeset',
  'view_file_sizes',
  'view_document',
  'view_path',
]);

/** Returns whether replies of a method are cached by the repository's generation. */
export function isReplyCached(name: ServedName): boolean {
  return cachedReads.has(name);
}

/** The methods that put cached replies together with what depends on the caller. */
const joiningReads = ['compare_revisions', 'view_files_page', 'view_repository_head'] as const;
export type JoiningName = (typeof joiningReads)[number];

export function joinsCachedReplies(name: ServedName): name is JoiningName {
  return joiningReads.some((joining) => joining === name);
}

const [brace, comma] = [Buffer.from('{'), Buffer.from(',')];

/** A result that is encoded already. */
export class EncodedReply {
  readonly payload: Uint8Array;

  constructor(payload: Uint8Array) {
    this.payload = payload;
  }

  /** Returns a result with the bytes of other ones as members: those of a long one are neither parsed nor encoded. */
  static with(
    members: Readonly<Record<string, EncodedReply>>,
    others: Readonly<Record<string, unknown>>,
  ): EncodedReply {
    const pieces = Object.entries(members).flatMap(([name, { payload }]) => [
      Buffer.from(`${JSON.stringify(name)}:`),
      payload,
      comma,
    ]);
    return new EncodedReply(Buffer.concat([brace, ...pieces, encodeResult(others).payload.subarray(1)]));
  }
}

/** What a reply depends on: replies with the same digest are the same bytes. */
export interface ReplyKey extends AtGeneration {
  /** Digest of the method, its arguments and the repository's row. */
  readonly digest: string;
}

/**
 * Returns the key of a method's reply, or of something else that is cached like one. The repository has to be that of the
 * statement that has read the caller's rights. The recorded tip tells generations apart that a restored database counts
 * again; the name is in texts of errors, which calls share while the reply is being made.
 */
export function replyKey(what: string, args: object, repository: RepositoryAccess): ReplyKey {
  const { id, uuid, name, storageId, storagePath, generation, tipId } = repository;
  const others = Object.entries(args).filter(([argument]) => argument !== 'repoid');
  const parts = [what, others, id, uuid, name, storageId, storagePath, generation, tipId];
  return { uuid, generation, digest: hash('sha256', JSON.stringify(parts), 'base64') };
}

/** One reply that is to be made. */
interface WantedReply {
  readonly make: (signal: AbortSignal) => Promise<Uint8Array>;
  /** Returns, after the reply was made, whether the repository still is what the key says. */
  readonly isUnchanged: () => Promise<boolean>;
}

/** How many replies may wait for the decision whether they are cached, and as which part of the memory beside it. */
const undecidedMax = 64;
const undecidedPart = 1 / 4;

/**
 * Caches replies as the bytes that travel on the bus, under keys that name everything they depend on. Calls for a reply
 * that is being made wait for it.
 */
export class ReplyCache {
  readonly #replies: CacheNamespace<Uint8Array>;
  readonly #making = new SingleFlight<Uint8Array>();
  /** Replies that are made, and of which it is not known yet whether they may be cached. */
  readonly #undecided = new Map<string, Uint8Array>();
  readonly #undecidedBytesMax: number;
  #undecidedBytes = 0;
  readonly #counts = { hits: 0, shared: 0, misses: 0 };

  constructor(cache: GenerationCache) {
    this.#replies = cache.namespace({ bytesOf: ({ length }) => length });
    this.#undecidedBytesMax = Math.floor(cache.bytesMax * undecidedPart);
  }

  get figures(): CacheFigures {
    return { ...this.#replies.figures, ...this.#counts };
  }

  /** Returns whether the reply is there, so that it need not be made. */
  has({ digest }: ReplyKey): boolean {
    return this.#replies.has(digest) || this.#undecided.has(digest);
  }

  isMaking({ digest }: ReplyKey): boolean {
    return this.#making.isRunning(digest);
  }

  /**
   * Returns the reply of a key: the cached one, the one that is being made, or a new one. A failure is not cached, and is
   * one of all calls that share it. The signal of `make` aborts when the signals of all these calls have aborted. No call
   * waits for the decision whether a reply is cached; calls that come before it share the reply, as while it was made.
   */
  async get(key: ReplyKey, wanted: WantedReply, signal: AbortSignal): Promise<Uint8Array> {
    const { digest } = key;
    const cached = this.#replies.find(digest);
    if (cached) {
      this.#counts.hits += 1;
      return cached;
    }
    const undecided = this.#undecided.get(digest);
    if (undecided || this.isMaking(key)) this.#counts.shared += 1;
    if (undecided) return undecided;
    return this.#making.run(digest, (shared) => this.#make(key, wanted, shared), signal);
  }

  async #make(key: ReplyKey, { make, isUnchanged }: WantedReply, signal: AbortSignal): Promise<Uint8Array> {
    this.#counts.misses += 1;
    const made = await make(signal);
    const bytes = this.#replies.bytesOf(made);
    if (bytes === null || !this.#hasRoomFor(bytes)) return made;
    // A small `Buffer` is part of a larger one, which it would keep in memory.
    const payload = made.byteLength === made.buffer.byteLength ? made : new Uint8Array(made);
    void this.#decide(key, { payload, bytes, isUnchanged });
    return payload;
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#undecided.size < undecidedMax && this.#undecidedBytes + bytes <= this.#undecidedBytesMax;
  }

  async #decide(
    key: ReplyKey,
    { payload, bytes, isUnchanged }: Pick<WantedReply, 'isUnchanged'> & { payload: Uint8Array; bytes: number },
  ): Promise<void> {
    this.#undecided.set(key.digest, payload);
    this.#undecidedBytes += bytes;
    const mayBeCached = await isUnchanged().catch(() => false);
    this.#undecided.delete(key.digest);
    this.#undecidedBytes -= bytes;
    if (mayBeCached) this.#replies.keep(key, key.digest, payload);
  }
}
