import { createHash } from 'node:crypto';
import { filesOf, type BackupFile, type Manifest } from '../backup/manifest.ts';
import { RefusedError } from '../errors.ts';
import { showProgress, type Shown } from '../show-progress.ts';
import { unreadable, type BackupSource, type FoundFile } from './backup-source.ts';

const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);

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
  const tell = (done: number) => `${megabytes(done)} of ${megabytes(bytes)} MB of the backup are read`;
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
