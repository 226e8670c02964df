import type { FileHandle } from 'node:fs/promises';
import { StorageFullError } from '../../storage/storage-errors.ts';
import { PushRefusedError, PushTooLargeError } from '../../vcs/push.ts';

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

/** The body of a push while it arrives. */
export interface Arrival {
  received: number;
  hasEnded: boolean;
}

interface StoreOptions {
  /** Bytes of arguments at the beginning of the body. */
  readonly argsBytes: number;
  /** Maximum bytes of the bundle. */
  readonly bytesMax: number;
  readonly arrival: Arrival;
  /** Returns whether the storage will not be full with as many bytes more. */
  readonly hasSpaceFor: (bytes: number) => Promise<boolean>;
}

/**
 * Writes the bundle to its file, piece by piece; returns the arguments before it. Reads all of a body that is too large,
 * or that fills the storage: its client reads no answer before. Writes no more of it than a push may have and the storage
 * has space for.
 */
export async function storeBundle(
  body: AsyncIterable<Uint8Array>,
  file: Pick<FileHandle, 'writeFile'>,
  { argsBytes, bytesMax, arrival, hasSpaceFor }: StoreOptions,
): Promise<string> {
  const space = new SpaceCheck(hasSpaceFor);
  const args: Uint8Array[] = [];
  let missing = argsBytes;
  for await (const piece of body) {
    const inArgs = piece.subarray(0, missing);
    const inBundle = piece.subarray(missing);
    missing -= inArgs.length;
    arrival.received += inBundle.length;
    if (inArgs.length > 0) args.push(inArgs);
    const isWritten = inBundle.length > 0 && arrival.received <= bytesMax && (await space.mayReach(arrival.received));
    if (isWritten) await file.writeFile(inBundle);
  }
  arrival.hasEnded = true;
  if (arrival.received > bytesMax) throw new PushTooLargeError(bytesMax);
  if (space.isFull) throw new StorageFullError('no free space for the bundle of a push');
  if (missing > 0) throw new PushRefusedError('the arguments of the push are not complete');
  return Buffer.concat(args).toString('latin1');
}
