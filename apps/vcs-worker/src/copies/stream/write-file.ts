import { hasCode } from '../../has-code.ts';
import { copyByChild, type ChildCopy } from './handed-files.ts';
import type { HeaderOf, PieceReader } from './frames.ts';
import { rawFiles } from './raw-files.ts';

const blockBytes = 512 * 1024;
const umask = process.umask();

/** Makes a file, in exchange for what is at its path. */
async function createAt(path: string, mode: number): Promise<number> {
  try {
    return await rawFiles.create(path, mode);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  // Not written in place: the file may have another name in another repository.
  await rawFiles.remove(path);
  return rawFiles.create(path, mode);
}

async function writeAll(file: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await rawFiles.write(file, bytes, at, bytes.length - at, null);
    at += bytesWritten;
  }
}

async function finish(file: number, { mode, mtime }: HeaderOf<'file'>): Promise<void> {
  if ((mode & umask) !== 0) await rawFiles.fchmod(file, mode);
  await rawFiles.futimes(file, mtime / 1e6, mtime / 1e6);
}

/** Writes a file whose content is in memory. */
export async function writeSmallFile(path: string, header: HeaderOf<'file'>, content: Buffer): Promise<void> {
  const file = await createAt(path, header.mode);
  try {
    await writeAll(file, content);
    await finish(file, header);
  } finally {
    await rawFiles.close(file);
  }
}

/** Reads a block of a file, in the pieces in which it has come. */
async function readBlock(reader: PieceReader, bytes: number): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for (let left = bytes; left > 0;) {
    const piece = await reader.takeSome(left);
    pieces.push(piece);
    left -= piece.length;
  }
  return pieces;
}

async function writePieces(file: number, pieces: readonly Buffer[], bytes: number): Promise<void> {
  const { bytesWritten } = await rawFiles.writev(file, pieces);
  if (bytesWritten < bytes) await writeAll(file, Buffer.concat(pieces).subarray(bytesWritten));
}

async function writeBlocks(
  file: number,
  size: number,
  reader: PieceReader,
  beforeBlock: (bytes: number) => Promise<void>,
): Promise<void> {
  let writing = Promise.resolve();
  try {
    for (let left = size; left > 0; left -= blockBytes) {
      const bytes = Math.min(left, blockBytes);
      const pieces = await readBlock(reader, bytes);
      await writing;
      await beforeBlock(bytes);
      writing = writePieces(file, pieces, bytes);
      // Its failure is thrown before the next block.
      writing.catch(() => {});
    }
  } finally {
    await writing.catch(() => {});
  }
  await writing;
}

/**
 * Writes a file as its content comes: one block is written while the next one is read. Returns what is left to do, which
 * need not be waited for: the file is synced, so that `publish`, for which a repository is held, has less to sync.
 */
export async function writeLargeFile(
  path: string,
  header: HeaderOf<'file'>,
  reader: PieceReader,
  beforeBlock: (bytes: number) => Promise<void>,
): Promise<() => Promise<void>> {
  const file = await createAt(path, header.mode);
  try {
    await writeBlocks(file, header.size, reader, beforeBlock);
  } catch (error) {
    await rawFiles.close(file);
    throw error;
  }
  return async () => {
    try {
      await finish(file, header);
      await rawFiles.sync(file);
    } finally {
      await rawFiles.close(file);
    }
  };
}

/** Writes a file whose content is that of an open one, which is closed. */
export async function writeHandedFile(
  path: string,
  header: HeaderOf<'file'>,
  from: number,
  options: Pick<ChildCopy, 'signal' | 'copied'>,
): Promise<void> {
  try {
    const to = await createAt(path, header.mode);
    try {
      await copyByChild({ from, to, size: header.size, ...options });
      await finish(to, header);
      await rawFiles.sync(to);
    } finally {
      await rawFiles.close(to);
    }
  } finally {
    await rawFiles.close(from);
  }
}
