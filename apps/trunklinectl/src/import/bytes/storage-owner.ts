import { constants } from 'node:fs';
import { access, lchown, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { markerName } from '@trunkline/runtime';
import { RefusedError } from '../../errors.ts';

/**
 * Makes what this process puts into a storage the property of the workers' user, who owns the marker. Each directory is
 * given before anything is put into it, so that a worker can remove what an import leaves that was cut off.
 */
export interface StorageOwner {
  give(path: string): Promise<void>;
  /** Makes a directory with its parents, and returns the first that was made; undefined when it was there. */
  makeDirectory(path: string): Promise<string | undefined>;
}

/** Finds the owner of a storage; throws RefusedError where workers could not use what this process makes. */
export async function findStorageOwner(root: string): Promise<StorageOwner> {
  const { uid, gid } = await stat(join(root, markerName));
  const own = process.geteuid?.();
  if (own !== 0) {
    await access(join(root, '@staging'), constants.W_OK).catch((cause: unknown) => {
      throw new RefusedError(`${root} belongs to user ${uid}, whom workers run as: run this as that user, or as root`, {
        cause,
      });
    });
  }
  // A link is given itself: it may have come in the place of what was made.
  const give = async (path: string) => (own === 0 ? lchown(path, uid, gid) : undefined);
  return {
    give,
    async makeDirectory(path) {
      const first = await mkdir(path, { recursive: true });
      if (first === undefined) return undefined;
      for (let made = path; made.length >= first.length; made = dirname(made)) await give(made);
      return first;
    },
  };
}
