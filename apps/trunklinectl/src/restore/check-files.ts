import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf, type BackupFile, type Manifest } from '../backup/manifest.ts';
import { RefusedError } from '../errors.ts';

async function checkFile(directory: string, { name, bytes, sha256 }: BackupFile): Promise<void> {
  const path = join(directory, name);
  const hash = createHash('sha256');
  let found = 0;
  try {
    // A link leads to what no backup keeps, and a read of a pipe might never end.
    const isFile = (await lstat(path)).isFile();
    if (!isFile) throw new RefusedError(`\`${name}\` of the backup is no regular file`);
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(piece);
      found += piece.length;
    }
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new RefusedError(`\`${name}\` of the backup ${isMissing ? 'is missing' : 'cannot be read'}`, {
      cause: error,
    });
  }
  if (found !== bytes) throw new RefusedError(`\`${name}\` of the backup has ${found} bytes instead of ${bytes}`);
  if (hash.digest('hex') !== sha256) throw new RefusedError(`\`${name}\` of the backup is damaged`);
}

/** Reads every file of a backup; throws RefusedError for the first one that is missing or damaged. */
export async function checkFiles(
  directory: string,
  manifest: Pick<Manifest, 'tables' | 'repositories' | 'missing'>,
): Promise<{ files: number; bytes: number }> {
  const files = filesOf(manifest);
  let bytes = 0;
  for (const file of files) {
    await checkFile(directory, file);
    bytes += file.bytes;
  }
  return { files: files.length, bytes };
}

/** Reads the content that some files of a backup are the parts of. */
export async function* contentOf(directory: string, files: readonly BackupFile[]): AsyncGenerator<Buffer> {
  for (const { name } of files) yield* createReadStream(join(directory, name)) as AsyncIterable<Buffer>;
}
