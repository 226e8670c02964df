import { KeyedCounter } from '@trunkline/runtime/concurrency';

/** A repository has at most this part of the bytes, but at least those with which one file begins. */
const sharePart = 1 / 2;

/** The bytes of the files of one repository. */
export interface FileShare {
  /** Takes bytes for a file; returns false when files that are in use have the rest. */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

/**
 * The bytes that files may have in all, and those of one repository. What is kept for later makes way for what is asked for
 * now; a repository that has its share makes way itself.
 */
export class FileSpace {
  readonly #evict: (repositoryId: number | null) => boolean;
  readonly #ofRepository = new KeyedCounter<number>();
  #bytesMax = 0;
  #bytes = 0;

  /** `evict` removes one file that nobody reads, of this repository or of any; it returns false when there is none. */
  constructor(evict: (repositoryId: number | null) => boolean) {
    this.#evict = evict;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  shareOf(repositoryId: number): FileShare {
    return {
      take: (bytes) => this.#take(repositoryId, bytes),
      release: (bytes) => {
        this.#bytes -= bytes;
        this.#ofRepository.remove(repositoryId, bytes);
      },
    };
  }

  /** Files that are in use keep what they have. */
  resize(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#evictUntil(bytesMax);
  }

  #take(repositoryId: number, bytes: number): boolean {
    while (!this.#hasShare(repositoryId, bytes)) if (!this.#evict(repositoryId)) return false;
    this.#evictUntil(this.#bytesMax - bytes);
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    this.#ofRepository.add(repositoryId, bytes);
    return true;
  }

  #hasShare(repositoryId: number, bytes: number): boolean {
    const held = this.#ofRepository.of(repositoryId);
    return held === 0 || held + bytes <= this.#bytesMax * sharePart;
  }

  #evictUntil(bytesMax: number): void {
    while (this.#bytes > Math.max(0, bytesMax) && this.#evict(null));
  }
}
