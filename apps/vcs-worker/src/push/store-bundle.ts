import type { FileHandle } from 'node:fs/promises';
import { PushRefusedError, PushTooLargeError } from '../vcs/push.ts';

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
}

/**
 * Writes the bundle to its file, piece by piece; returns the arguments before it. Reads all of a body that is too large,
 * whose client reads no answer before, and writes no more of it than a push may have.
 */
export async function storeBundle(
  body: AsyncIterable<Uint8Array>,
  file: Pick<FileHandle, 'writeFile'>,
  { argsBytes, bytesMax, arrival }: StoreOptions,
): Promise<string> {
  const args: Uint8Array[] = [];
  let missing = argsBytes;
  for await (const piece of body) {
    const inArgs = piece.subarray(0, missing);
    const inBundle = piece.subarray(missing);
    missing -= inArgs.length;
    arrival.received += inBundle.length;
    if (inArgs.length > 0) args.push(inArgs);
    if (inBundle.length > 0 && arrival.received <= bytesMax) await file.writeFile(inBundle);
  }
  arrival.hasEnded = true;
  if (arrival.received > bytesMax) throw new PushTooLargeError(bytesMax);
  if (missing > 0) throw new PushRefusedError('the arguments of the push are not complete');
  return Buffer.concat(args).toString('latin1');
}
