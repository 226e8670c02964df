import { hasCode } from '../../has-code.ts';
import type { HeaderOf } from './frame.ts';
import type { PieceReader } from './piece-reader.ts';
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

/** Reads a block of a file; the pieces of a stream are smaller than a write should be. */
async function readBlock(reader: PieceReader, bytes: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(bytes);
  for (let at = 0; at < bytes;) at += (await reader.takeSome(bytes - at)).copy(block, at);
  return block;
}

/** Writes a file as its content comes: one block is written while the next one is read. */
export async function writeLargeFile(
  path: string,
  header: HeaderOf<'file'>,
  reader: PieceReader,
  beforeBlock: (bytes: number) => Promise<void>,
): Promise<void> {
  const file = await createAt(path, header.mode);
  let writing = Promise.resolve();
  try {
    for (let left = header.size; left > 0; left -= blockBytes) {
      const block = await readBlock(reader, Math.min(left, blockBytes));
      await writing;
      await beforeBlock(block.length);
      writing = writeAll(file, block);
      // Its failure is thrown before the next block.
      writing.catch(() => {});
    }
    await writing;
    await finish(file, header);
  } finally {
    await writing.catch(() => {});
    await rawFiles.close(file);
  }
}
