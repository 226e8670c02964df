/** The bytes that files may have in all. What is kept for later makes way for what is asked for now. */
export class FileSpace {
  readonly #evict: () => boolean;
  #bytesMax = 0;
  #bytes = 0;

  /** `evict` removes one file that nobody reads; it returns false when there is none. */
  constructor(evict: () => boolean) {
    this.#evict = evict;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  /** Takes bytes for a file; returns false when files that are in use have the rest. */
  take(bytes: number): boolean {
    this.#evictUntil(this.#bytesMax - bytes);
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }

  /** Files that are in use keep what they have. */
  resize(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#evictUntil(bytesMax);
  }

  #evictUntil(bytesMax: number): void {
    while (this.#bytes > Math.max(0, bytesMax) && this.#evict());
  }
}
