const grownBytesMin = 4 * 1024;

/**
 * The bytes of a body that have arrived. Chunks are copied together, since a Buffer for each chunk of a single byte
 * would take a hundred times the memory.
 */
export class BodyBytes {
  readonly #bytesMax: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory that are held, at most twice the length. */
  get held(): number {
    return this.#buffer.length;
  }

  get value(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#growTo(length);
      this.#buffer.set(chunk, this.#length);
    }
    this.#length = length;
  }

  #growTo(length: number): void {
    const capacity = Math.min(Math.max(2 * length, grownBytesMin), Math.max(length, this.#bytesMax));
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.value);
    this.#buffer = larger;
  }

  clear(): void {
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }
}
