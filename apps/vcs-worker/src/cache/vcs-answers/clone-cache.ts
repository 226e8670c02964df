import { batched, SingleFlight } from '@trunkline/runtime/concurrency';
import { LRUCache } from 'lru-cache';
import { AnswerFile, type AnswerFileLimits } from './answer-file.ts';
import { beginAlone, type AnswerType, type BeginAnswer, type CachedAnswer } from './cached-answer.ts';
import { FileSpace, openUnlinkedFile } from './file-space.ts';
import { SmallAnswers, type Small } from './small-answers.ts';
import type { CloneKey } from './clone-key.ts';

interface Large {
  readonly type: AnswerType;
  readonly file: AnswerFile;
}

/** What requests that came at the same time share; a large answer without a file is for the first of them alone. */
type Made = Small | Large | { single: CachedAnswer | null };

export interface CloneCacheOptions extends Partial<AnswerFileLimits> {
  /** Private directory in which files are opened. */
  readonly directory: string;
  /** Called when no file can be opened; the answer then comes without one. */
  readonly reportFailure: (error: unknown) => void;
  readonly smallBytesMax?: number;
  readonly filesMax?: number;
  /** Bytes of the largest answer that is kept in a file. */
  readonly keptBytesMax?: number;
}

const fileLimits: AnswerFileLimits = {
  stepBytes: 16 * 1024 * 1024,
  aheadBytes: 16 * 1024 * 1024,
  lateMsMax: 30_000,
  bytesForSecond: 256 * 1024,
};
/** Small pieces are written together. */
const batches = { bytesMax: 256 * 1024, msMax: 5 };
const smallBytesMaxDefault = 64 * 1024 * 1024;
const smallMax = 10_000;
const filesMaxDefault = 256;
const keptBytesMaxDefault = 2 * 1024 * 1024 * 1024;
/** A repository has at most this part of the files, as of their bytes. */
const filesPart = 1 / 2;
/** A large answer is kept when the same was asked for twice within this time. */
const askedAgainMs = 5 * 60_000;
const askedMax = 10_000;

/**
 * Keeps answers to clients of git and Mercurial, small ones in memory and large ones in files, and has requests that come
 * at the same time share one answer. Callers decide on the rights of each request before they ask.
 */
export class CloneCache {
  readonly #limits: AnswerFileLimits;
  readonly #directory: string;
  readonly #reportFailure: (error: unknown) => void;
  readonly #keptBytesMax: number;
  readonly #small: SmallAnswers;
  readonly #files: LRUCache<string, Large>;
  readonly #growing = new Map<string, Large>();
  readonly #flights = new SingleFlight<Made>();
  /** How often answers were asked for lately. */
  readonly #asked = new LRUCache<string, number>({ max: askedMax, ttl: askedAgainMs });
  readonly #counts = { hits: 0, misses: 0, shared: 0 };
  /** The bytes of the files of all large answers; nothing is kept in files until it has some. */
  readonly space = new FileSpace((repositoryId) => this.#evictOne(repositoryId));

  constructor({ directory, reportFailure, smallBytesMax, filesMax, keptBytesMax, ...limits }: CloneCacheOptions) {
    this.#directory = directory;
    this.#reportFailure = reportFailure;
    this.#limits = { ...fileLimits, ...limits };
    this.#keptBytesMax = keptBytesMax ?? keptBytesMaxDefault;
    this.#small = new SmallAnswers(smallBytesMax ?? smallBytesMaxDefault, smallMax);
    this.#files = new LRUCache({ max: filesMax ?? filesMaxDefault, dispose: ({ file }) => file.release() });
  }

  get figures() {
    const files = { entries: this.#files.size, bytes: this.space.bytes };
    return { ...this.#counts, small: this.#small.figures, files, fileBytesMax: this.space.bytesMax };
  }

  /** Returns the answer to a request that was made, is being made, or is made now. The signal ends a wait for it. */
  async get(key: CloneKey, begin: BeginAnswer, signal: AbortSignal): Promise<CachedAnswer> {
    const name = nameOf(key);
    this.#asked.set(name, (this.#asked.get(name) ?? 0) + 1);
    const kept = this.#small.get(name) ?? this.#readable(this.#files, name);
    if (kept) {
      this.#counts.hits += 1;
      return answerOf(kept);
    }
    const isShared = this.#flights.isRunning(name) || this.#readable(this.#growing, name) !== undefined;
    this.#counts[isShared ? 'shared' : 'misses'] += 1;
    const work = (shared: AbortSignal) => this.#make(key, begin, shared);
    const made = this.#readable(this.#growing, name) ?? (await this.#flights.run(name, work, signal));
    if (!('single' in made)) return answerOf(made);
    const { single } = made;
    made.single = null;
    return single ?? (await beginAlone(begin, signal));
  }

  /** Keeps nothing of a repository any longer. Its answers are kept by generation, so that this only frees their bytes. */
  forgetRepository(repositoryId: number): void {
    this.#small.forgetRepository(repositoryId);
    for (const name of this.#filesOf(repositoryId)) this.#files.delete(name);
    for (const [name, { file }] of this.#growing) {
      if (!name.startsWith(prefixOf(repositoryId))) continue;
      this.#growing.delete(name);
      file.release();
    }
  }

  close(): void {
    this.#small.clear();
    this.#files.clear();
  }

  async #make(key: CloneKey, begin: BeginAnswer, shared: AbortSignal): Promise<Made> {
    const name = nameOf(key);
    const work = new AbortController();
    let stop = () => work.abort(shared.reason);
    shared.addEventListener('abort', () => stop(), { once: true });
    const { type, content, mayBeKept } = await begin(work.signal).catch((error: unknown) => {
      work.abort();
      throw error;
    });
    if (content instanceof Uint8Array) {
      // A copy of its own: small buffers are parts of larger ones.
      const bytes = Buffer.alloc(content.length, content);
      if (mayBeKept()) this.#small.set(key.repositoryId, name, { type, bytes });
      return { type, bytes };
    }
    // Others may have asked for the same since the work began.
    const isWanted = (this.#asked.get(name) ?? 0) > 1;
    const opened = isWanted ? await this.#open(key.repositoryId, () => work.abort()) : null;
    if (!opened) return { single: { type, content, end: () => work.abort() } };
    const large = { type, file: opened };
    stop = () => opened.abandon();
    this.#growing.set(name, large);
    void this.#fill(key, large, content, mayBeKept);
    if (shared.aborted) stop();
    return large;
  }

  async #fill(key: CloneKey, large: Large, content: AsyncIterable<Uint8Array>, mayBeKept: () => boolean) {
    const { file } = large;
    const name = nameOf(key);
    const isWhole = await file.fill(batched(content, batches));
    const isCurrent = this.#growing.get(name) === large;
    if (isCurrent) this.#growing.delete(name);
    const isWanted = isCurrent && file.bytes <= this.#keptBytesMax;
    if (isWhole && isWanted && mayBeKept() && this.#hasShareOfFiles(key)) this.#files.set(name, large);
    else file.release();
  }

  /** Opens a file for a large answer; null when there is none. */
  async #open(repositoryId: number, endSource: () => void): Promise<AnswerFile | null> {
    const { stepBytes } = this.#limits;
    const space = this.space.shareOf(repositoryId);
    if (!space.take(stepBytes)) return null;
    try {
      const file = await openUnlinkedFile(this.#directory);
      return new AnswerFile({ ...this.#limits, file, space, endSource });
    } catch (error) {
      space.release(stepBytes);
      this.#reportFailure(error);
      return null;
    }
  }

  #readable(answers: { get(name: string): Large | undefined }, name: string): Large | undefined {
    const found = answers.get(name);
    return found?.file.isReadable ? found : undefined;
  }

  /** Returns the names of a repository's files, or of all, the least recently used first. */
  #filesOf(repositoryId: number | null): string[] {
    const names = [...this.#files.rkeys()];
    return repositoryId === null ? names : names.filter((name) => name.startsWith(prefixOf(repositoryId)));
  }

  /** Returns whether one more file of the repository may be kept, after removing one of its own if it has its share. */
  #hasShareOfFiles({ repositoryId }: CloneKey): boolean {
    const isBeyond = this.#filesOf(repositoryId).length >= Math.max(1, this.#files.max * filesPart);
    return !isBeyond || this.#evictOne(repositoryId);
  }

  /** Removes the least recently used file that no client reads, of a repository or of any. */
  #evictOne(repositoryId: number | null): boolean {
    for (const name of this.#filesOf(repositoryId)) {
      if (this.#files.peek(name)?.file.isRead === false) return this.#files.delete(name);
    }
    return false;
  }
}

function prefixOf(repositoryId: number): string {
  return `${repositoryId} `;
}

function nameOf({ repositoryId, digest }: CloneKey): string {
  return prefixOf(repositoryId) + digest;
}

function answerOf(made: Small | Large): CachedAnswer {
  if ('bytes' in made) return { type: made.type, content: made.bytes, end: () => {} };
  const content = made.file.read();
  return { type: made.type, content, end: () => content.end() };
}
