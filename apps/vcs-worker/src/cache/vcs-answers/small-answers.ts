import { LRUCache } from 'lru-cache';
import type { AnswerType } from './cached-answer.ts';

export interface Small {
  readonly type: AnswerType;
  readonly bytes: Buffer;
}

interface Entry {
  readonly repositoryId: number;
  readonly answer: Small;
  /** What the entry is counted with. */
  readonly bytes: number;
}

/** The answers of one repository: their names, the least recently used first. */
interface Share {
  readonly names: Set<string>;
  bytes: number;
}

/** Memory of an answer beside its bytes. */
const entryBytes = 400;
/** A repository has at most this part of the memory, and of the number of answers. */
const sharePart = 1 / 4;

/** Keeps small answers in memory. The least recently used go first; a repository at its share loses its own. */
export class SmallAnswers {
  readonly #entries: LRUCache<string, Entry>;
  readonly #shares = new Map<number, Share>();
  readonly #shareMax: { readonly bytes: number; readonly answers: number };

  constructor(bytesMax: number, answersMax: number) {
    this.#shareMax = { bytes: bytesMax * sharePart, answers: answersMax * sharePart };
    this.#entries = new LRUCache({
      max: answersMax,
      maxSize: bytesMax,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (entry, name) => this.#forget(entry, name),
    });
  }

  get figures() {
    return { entries: this.#entries.size, bytes: this.#entries.calculatedSize };
  }

  get(name: string): Small | undefined {
    const entry = this.#entries.get(name);
    const names = entry && this.#shares.get(entry.repositoryId)?.names;
    if (names?.delete(name)) names.add(name);
    return entry?.answer;
  }

  set(repositoryId: number, name: string, answer: Small): void {
    const bytes = answer.bytes.length + 2 * name.length + entryBytes;
    this.#entries.delete(name);
    for (const oldest of this.#shares.get(repositoryId)?.names ?? []) {
      if (this.#hasShare(repositoryId, bytes)) break;
      this.#entries.delete(oldest);
    }
    const share = this.#shares.get(repositoryId) ?? { names: new Set<string>(), bytes: 0 };
    this.#shares.set(repositoryId, share);
    share.names.add(name);
    share.bytes += bytes;
    const entry = { repositoryId, answer, bytes };
    this.#entries.set(name, entry);
    // An answer larger than all of the memory is not kept.
    if (!this.#entries.has(name)) this.#forget(entry, name);
  }

  forgetRepository(repositoryId: number): void {
    for (const name of this.#shares.get(repositoryId)?.names ?? []) this.#entries.delete(name);
  }

  clear(): void {
    this.#entries.clear();
  }

  #hasShare(repositoryId: number, bytes: number): boolean {
    const share = this.#shares.get(repositoryId);
    return !share || (share.bytes + bytes <= this.#shareMax.bytes && share.names.size < this.#shareMax.answers);
  }

  #forget({ repositoryId, bytes }: Entry, name: string): void {
    const share = this.#shares.get(repositoryId);
    if (!share?.names.delete(name)) return;
    share.bytes -= bytes;
    if (share.names.size === 0) this.#shares.delete(repositoryId);
  }
}
