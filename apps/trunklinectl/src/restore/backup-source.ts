import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeText } from '@trunkline/contracts';
import { type BackupFile, filesOf, type Manifest, type ManifestVault, readManifest } from '../backup/manifest.ts';
import { RefusedError } from '../errors.ts';
import { type Shown, showProgress } from '../show-progress.ts';

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

/** Throws RefusedError for a file that has not what the manifest says. */
function requireSame({ name, bytes, sha256 }: BackupFile, found: FoundFile): void {
  if (found.bytes !== bytes) {
    throw new RefusedError(`\`${name}\` of the backup has ${found.bytes} bytes instead of ${bytes}`);
  }
  if (found.sha256 !== sha256) throw new RefusedError(`\`${name}\` of the backup is damaged`);
}

/** Reads every file of a backup; throws RefusedError for the first one that is missing or damaged. */
export async function checkFiles(
  shown: Shown,
  source: Pick<BackupSource, 'look'>,
  manifest: Pick<Manifest, 'tables' | 'repositories' | 'missing'>,
): Promise<{ files: number; bytes: number }> {
  const files = filesOf(manifest);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const tell = (done: number) => `${sizeText(done)} of ${sizeText(bytes)} of the backup are read`;
  const progress = showProgress(shown, { total: bytes, tell });
  try {
    for (const file of files) {
      requireSame(file, await source.look(file.name));
      progress.count(file.bytes);
    }
  } finally {
    progress.end();
  }
  return { files: files.length, bytes };
}

/** Reads one file once more; throws RefusedError at its end when it has changed since it was checked. */
async function* checkedContent(source: Pick<BackupSource, 'read'>, file: BackupFile): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of source.read(file.name)) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  } catch (error) {
    throw unreadable(file.name, error);
  }
  requireSame(file, { bytes, sha256: hash.digest('hex') });
}

/** Reads the content that some files of a backup are the parts of, once these were checked. */
export async function* contentOf(
  source: Pick<BackupSource, 'read'>,
  files: readonly BackupFile[],
): AsyncGenerator<Uint8Array> {
  for (const file of files) yield* checkedContent(source, file);
}
