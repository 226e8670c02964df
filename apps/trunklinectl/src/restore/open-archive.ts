import { createHash } from 'node:crypto';
import { sizeText } from '@trunkline/contracts';
import {
  isBackupFileName,
  manifestBytesMax,
  manifestName,
  noManifest,
  parseManifest,
  type Manifest,
  type ManifestVault,
} from '../backup/manifest.ts';
import { RefusedError } from '../errors.ts';
import { showProgress, type Progress, type Shown } from '../show-progress.ts';
import { openTemporaryFile, type TemporaryFile } from '../temporary-file.ts';
import { notRegular, unreadable, type BackupSource, type FoundFile } from './backup-source.ts';
import { readTar, type TarEntry } from './read-tar.ts';

/** A file of the archive, and where the spool has it. */
interface Kept extends FoundFile {
  readonly start: number;
}

export interface ArchiveOptions {
  readonly vault: ManifestVault;
  /** Whether files are kept, so that they can be read again; else they are only looked at. */
  readonly keeps: boolean;
  readonly shown: Shown;
}

async function readManifestOf({ bytes, content }: TarEntry, vault: ManifestVault): Promise<Manifest> {
  if (bytes > manifestBytesMax) throw new RefusedError(`\`${manifestName}\` is too long`);
  const pieces: Uint8Array[] = [];
  for await (const piece of content()) pieces.push(piece);
  return parseManifest(Buffer.concat(pieces), vault);
}

/** Reads a file of the archive, and writes it to the spool, if there is one. */
async function keep(entry: TarEntry, spool: TemporaryFile | null, start: number, count: Progress['count']) {
  const hash = createHash('sha256');
  let at = start;
  for await (const piece of entry.content()) {
    hash.update(piece);
    await spool?.write(piece, at);
    at += piece.length;
    count(piece.length);
  }
  return { start, bytes: entry.bytes, sha256: hash.digest('hex') };
}

/** Reads all of an archive. Names are looked up in it alone, and lead nowhere. */
async function readAll(
  input: AsyncIterable<Uint8Array>,
  spool: TemporaryFile | null,
  vault: ManifestVault,
  count: Progress['count'],
) {
  const files = new Map<string, Kept>();
  let manifest: Manifest | undefined;
  let end = 0;
  for await (const entry of readTar(input)) {
    const { name } = entry;
    const isManifest = name === manifestName;
    if (!isManifest && !isBackupFileName(name)) continue;
    if (entry.kind !== 'file') throw notRegular(name);
    if (files.has(name) || (isManifest && manifest)) throw new RefusedError(`the archive has \`${name}\` twice`);
    if (isManifest) manifest = await readManifestOf(entry, vault);
    else {
      const kept = await keep(entry, spool, end, count);
      files.set(name, kept);
      end += kept.bytes;
    }
  }
  if (!manifest) throw noManifest('the archive');
  return { files, manifest };
}

/**
 * Runs `act` with the backup of a tar archive, such as `backup -` writes and `tar` makes of a directory. Its manifest comes
 * last, so that all of it is read before.
 */
export async function withArchive<T>(
  input: AsyncIterable<Uint8Array>,
  { vault, keeps, shown }: ArchiveOptions,
  act: (source: BackupSource) => Promise<T>,
): Promise<T> {
  const spool = keeps ? await openTemporaryFile() : null;
  const tell = (bytes: number) => `${sizeText(bytes)} of the archive are read`;
  const progress = showProgress(shown, { total: null, tell });
  try {
    const { files, manifest } = await readAll(input, spool, vault, progress.count).finally(progress.end);
    const find = (name: string): Kept => {
      const kept = files.get(name);
      if (!kept) throw unreadable(name);
      return kept;
    };
    return await act({
      manifest,
      look: async (name) => find(name),
      read: (name) => {
        const { start, bytes } = find(name);
        if (!spool) throw new Error('the archive was only looked at');
        return spool.read(start, bytes);
      },
    });
  } finally {
    await spool?.close();
  }
}
