import { findKnownBackup, type BackupOrigin, type Connection, type Dump, type SecretVault } from '@trunkline/db';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { RefusedError } from '../errors.ts';
import { findManifest, treesOf, type BackedUpRepository, type BackupFile, type Manifest } from './manifest.ts';

type Tree = Pick<BackedUpRepository, 'head' | 'files'>;

/** What the backup has that a new one replaces. */
export interface FormerBackup {
  /** Finds the tree of a repository that has not changed since. */
  findUnchanged(repository: Pick<Dump['repositories'][number], 'uuid' | 'epoch' | 'generation'>): Promise<Tree | null>;
  /** Finds the tree of a repository in a state of before. */
  findAny(uuid: string): Promise<Tree | null>;
}

export const noFormer: FormerBackup = { findUnchanged: async () => null, findAny: async () => null };

const instead = 'name another directory, or have it replaced with --full';

async function isThere(directory: string, { name, bytes }: BackupFile): Promise<boolean> {
  const found = await lstat(join(directory, name)).catch(() => null);
  return found !== null && found.isFile() && found.size === bytes;
}

function formerOf(directory: string, manifest: Manifest, origin: BackupOrigin): FormerBackup {
  const trees = new Map(treesOf(manifest).map((one) => [one.uuid, one]));
  const findAny = async (uuid: string) => {
    const found = trees.get(uuid);
    if (!found) return null;
    const there = await Promise.all(found.files.map((file) => isThere(directory, file)));
    return there.every(Boolean) ? { head: found.head, files: found.files } : null;
  };
  return {
    findAny,
    async findUnchanged({ uuid, epoch, generation }) {
      const head = trees.get(uuid)?.head;
      // After a restore, the same numbers may stand for other bytes.
      if (origin === 'restored' || head?.epoch !== epoch || head.generation !== generation) return null;
      return findAny(uuid);
    },
  };
}

/**
 * Reads the backup of a directory, if it has one. Throws RefusedError for one that the database does not know, unless
 * `isFull`: it is of another instance, or of a state from which the rows were set back.
 */
export async function readFormer(
  client: Connection,
  directory: string,
  { isFull, vault }: { readonly isFull: boolean; readonly vault: Pick<SecretVault, 'hmacs'> },
): Promise<FormerBackup> {
  if (isFull) return noFormer;
  const manifest = await findManifest(directory, vault).catch((error: unknown) => {
    throw error instanceof RefusedError ? new RefusedError(`${error.message}: ${instead}`, { cause: error }) : error;
  });
  if (!manifest) return noFormer;
  const origin = await findKnownBackup(client, manifest.id);
  if (origin !== null) return formerOf(directory, manifest, origin);
  throw new RefusedError(
    `the database does not know the backup of ${manifest.takenAt} in ${directory}, which is of another instance, or of a ` +
      `time after that to which the rows were set back: ${instead}`,
  );
}
