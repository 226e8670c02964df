import { SingleFlight, type CacheFigures } from '@trunkline/runtime/concurrency';
import { LRUCache } from 'lru-cache';
import { exactCopy } from './exact-copy.ts';
import type { ReplyKey } from './reply-key.ts';

/** One reply that is to be made. */
export interface WantedReply {
  readonly make: (signal: AbortSignal) => Promise<Uint8Array>;
  /** Returns, after the reply was made, whether the repository still is what the key says. */
  readonly isUnchanged: () => Promise<boolean>;
}

interface Entry {
  readonly key: ReplyKey;
  /** Has a buffer of its own. */
  readonly payload: Uint8Array;
  /** What the entry is counted with. */
  readonly bytes: number;
}

/** The replies of one repository: their digests, the least recently used first. */
interface Share {
  readonly generation: number;
  readonly digests: Set<string>;
  bytes: number;
}

/** Memory of an entry beside its payload, in bytes: measured, and rounded up. */
const bytesOfEntry = 1_024;
/** A repository has at most this part of the memory. */
const sharePart = 1 / 4;
/** How many replies may wait for the decision whether they are kept, in all and as a part of the memory. Others are not kept. */
const undecidedMax = 64;
const undecidedPart = 1 / 4;

/**
 * Keeps replies as the bytes that travel on the bus, under keys that name everything they depend on. Calls for a reply
 * that is being made wait for it. The least recently used replies go first.
 */
export class KeptReplies {
  readonly #entries: LRUCache<string, Entry>;
  readonly #shares = new Map<number, Share>();
  readonly #making = new SingleFlight<Uint8Array>();
  /** Replies that are made, and of which it is not known yet whether they may be kept. */
  readonly #undecided = new Map<string, Uint8Array>();
  readonly #shareMax: number;
  readonly #undecidedBytesMax: number;
  #undecidedBytes = 0;
  readonly #counts = { hits: 0, shared: 0, misses: 0 };

  constructor(bytesMax: number) {
    this.#shareMax = Math.floor(bytesMax * sharePart);
    this.#undecidedBytesMax = Math.floor(bytesMax * undecidedPart);
    this.#entries = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (entry) => this.#forget(entry),
    });
  }

  get figures(): CacheFigures {
    const { size: entries, calculatedSize: bytes } = this.#entries;
    return { ...this.#counts, entries, bytes };
  }

  /** Returns whether the reply is there, so that it need not be made. */
  isKept({ digest }: ReplyKey): boolean {
    return this.#entries.has(digest) || this.#undecided.has(digest);
  }

  isMaking({ digest }: ReplyKey): boolean {
    return this.#making.isRunning(digest);
  }

  /**
   * Returns the reply of a key: the kept one, the one that is being made, or a new one. A failure is not kept, and is one
   * of all calls that share it. The signal of `make` aborts when the signals of all these calls have aborted. No call waits
   * until it is decided whether a reply is kept; those that come before that share it, as while it was being made.
   */
  async get(key: ReplyKey, wanted: WantedReply, signal: AbortSignal): Promise<Uint8Array> {
    const entry = this.#entries.get(key.digest);
    if (entry) {
      this.#counts.hits += 1;
      this.#noteUse(entry);
      return entry.payload;
    }
    const undecided = this.#undecided.get(key.digest);
    if (undecided || this.isMaking(key)) this.#counts.shared += 1;
    if (undecided) return undecided;
    return this.#making.run(key.digest, (shared) => this.#make(key, wanted, shared), signal);
  }

  async #make(key: ReplyKey, { make, isUnchanged }: WantedReply, signal: AbortSignal): Promise<Uint8Array> {
    this.#counts.misses += 1;
    const made = await make(signal);
    const bytes = made.length + bytesOfEntry;
    if (bytes > this.#shareMax || !this.#hasRoomFor(bytes)) return made;
    const payload = exactCopy(made);
    void this.#decide({ key, payload, bytes }, isUnchanged);
    return payload;
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#undecided.size < undecidedMax && this.#undecidedBytes + bytes <= this.#undecidedBytesMax;
  }

  async #decide(entry: Entry, isUnchanged: WantedReply['isUnchanged']): Promise<void> {
    const { key, payload, bytes } = entry;
    this.#undecided.set(key.digest, payload);
    this.#undecidedBytes += bytes;
    const mayBeKept = await isUnchanged().catch(() => false);
    this.#undecided.delete(key.digest);
    this.#undecidedBytes -= bytes;
    if (mayBeKept) this.#keep(entry);
  }

  #keep(entry: Entry): void {
    const { key } = entry;
    // A reply that all its calls had left may have been made once more.
    if (this.#entries.has(key.digest)) return;
    const share = this.#shareFor(key);
    share.digests.add(key.digest);
    share.bytes += entry.bytes;
    this.#entries.set(key.digest, entry);
    // The new one is the last, and fits.
    for (const digest of share.digests) {
      if (share.bytes <= this.#shareMax) break;
      this.#entries.delete(digest);
    }
  }

  /** Returns the share of a repository; replies of its other generations go, since nobody asks for them any more. */
  #shareFor({ repositoryId, generation }: ReplyKey): Share {
    const present = this.#shares.get(repositoryId);
    if (present?.generation === generation) return present;
    for (const digest of present?.digests ?? []) this.#entries.delete(digest);
    const share = { generation, digests: new Set<string>(), bytes: 0 };
    this.#shares.set(repositoryId, share);
    return share;
  }

  #noteUse({ key }: Entry): void {
    const digests = this.#shares.get(key.repositoryId)?.digests;
    if (digests?.delete(key.digest)) digests.add(key.digest);
  }

  #forget({ key, bytes }: Entry): void {
    const share = this.#shares.get(key.repositoryId);
    if (!share?.digests.delete(key.digest)) return;
    share.bytes -= bytes;
    if (share.digests.size === 0) this.#shares.delete(key.repositoryId);
  }
}
