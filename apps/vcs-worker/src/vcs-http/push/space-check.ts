/** Bytes of a push that are stored between two looks at the free space; a shorter one is stored while the disk takes it. */
const stepBytes = 1024 * 1024;

/** Looks at the free space at the beginning of each step of a push but the first. */
export class SpaceCheck {
  isFull = false;
  #grantedBytes = stepBytes;
  readonly #hasSpaceFor: (bytes: number) => Promise<boolean>;

  /** `hasSpaceFor` returns whether the storage will not be full with as many bytes more. */
  constructor(hasSpaceFor: (bytes: number) => Promise<boolean>) {
    this.#hasSpaceFor = hasSpaceFor;
  }

  /** Returns whether what was received may grow to this size. */
  async mayReach(bytes: number): Promise<boolean> {
    if (this.isFull || bytes <= this.#grantedBytes) return !this.isFull;
    const more = Math.max(stepBytes, bytes - this.#grantedBytes);
    this.isFull = !(await this.#hasSpaceFor(more));
    this.#grantedBytes += more;
    return !this.isFull;
  }
}
