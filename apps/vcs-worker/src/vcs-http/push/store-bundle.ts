import type { FileHandle } from 'node:fs/promises';
import { StorageFullError } from '../../storage/storage-full-error.ts';
import { PushRefusedError, PushTooLargeError } from '../../vcs/push.ts';
import { SpaceCheck } from './space-check.ts';

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
