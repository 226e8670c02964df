import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest, type BackupFile, type Manifest, type ManifestVault } from '../backup/manifest.ts';
import { RefusedError } from '../errors.ts';

/** What a file of a backup has. */
export type FoundFile = Pick<BackupFile, 'bytes' | 'sha256'>;

/** Where a backup is read from. */
export interface BackupSource {
  readonly manifest: Manifest;
  /** Reads a file to its end; throws RefusedError, which names it, when that cannot be done. */
  look(name: string): Promise<FoundFile>;
  /** Reads the content of a file that was looked at. */
  read(name: string): AsyncIterable<Uint8Array>;
}

/** Returns the error of a file that is not there, or that cannot be read. */
export function unreadable(name: string, cause?: unknown): RefusedError {
  const isMissing = cause === undefined || (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT');
  return new RefusedError(`\`${name}\` of the backup ${isMissing ? 'is missing' : 'cannot be read'}`, { cause });
}

/** Returns the error of an entry that is no file: a link leads to what no backup keeps, and a read of a pipe might never end. */
export const notRegular = (name: string) => new RefusedError(`\`${name}\` of the backup is no regular file`);

async function look(path: string, name: string): Promise<FoundFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    if (!(await lstat(path)).isFile()) throw notRegular(name);
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
    }
  } catch (error) {
    throw error instanceof RefusedError ? error : unreadable(name, error);
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** Opens the backup of a directory. */
export async function openDirectory(directory: string, vault: ManifestVault): Promise<BackupSource> {
  return {
    manifest: await readManifest(directory, vault),
    look: (name) => look(join(directory, name), name),
    read: (name) => createReadStream(join(directory, name)) as AsyncIterable<Buffer>,
  };
}
