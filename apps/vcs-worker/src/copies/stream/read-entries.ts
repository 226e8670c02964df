import type { Stats } from 'node:fs';
import { OperationFailedError } from '@trunkline/contracts';
import { hasCode } from '../../has-code.ts';
import { contentOf, rawFiles } from './raw-files.ts';
import { type Header, type HeaderOf, smallFileBytes } from './frames.ts';
import type { Found } from './walk-tree.ts';

/** What is to be sent of one entry; null when it has gone. */
export interface ReadEntry {
  readonly header: Exclude<Header, HeaderOf<'file'>> | HeaderOf<'file'>;
  /** The content of a small file. */
  readonly data?: Buffer;
  /** An open descriptor of a large file, which the receiver closes. */
  readonly open?: number;
  /** The file's inode, if it has several names, and the number of its directory. */
  readonly inode?: { readonly key: string; readonly directory: number };
}

export interface EntryReading {
  /** The tree, as a raw path without a slash at its end. */
  readonly root: string;
  /** Returns whether a file has to be sent although the target may have it. */
  readonly isWanted: (path: string, ctimeMs: number) => boolean;
  /** Whether every file is wanted, so that no other look at it is needed. */
  readonly wantsAll: boolean;
  /** Finds the repository whose file at the same path is the same file; -1 when there is none. */
  readonly findShared: (path: string, inode: string) => Promise<number>;
}

const gone = (error: unknown): null => {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
  throw error;
};

const modeOf = ({ mode }: Stats) => mode & 0o777;

/** Reads exactly as many bytes; zeros stand for those that the file has lost since: a file that changed is sent again. */
export async function readExactly(file: number, bytes: number, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  let length = 0;
  while (length < bytes) {
    const { bytesRead } = await rawFiles.read(file, buffer, length, bytes - length, position + length);
    if (bytesRead === 0) return buffer.fill(0, length);
    length += bytesRead;
  }
  return buffer;
}

type FoundFile = Extract<Found, { readonly kind: 'file' }>;

async function readOpened({ findShared }: EntryReading, entry: FoundFile, file: number): Promise<ReadEntry> {
  const { name, path, directory } = entry;
  const stats = await rawFiles.fstat(file);
  if (!stats.isFile()) throw new OperationFailedError('A file of the repository became something else');
  const content = { name, ...contentOf(stats) };
  let inode: ReadEntry['inode'];
  if (stats.nlink > 1) {
    const exact = await rawFiles.fstatExactly(file, { bigint: true });
    inode = { key: `${exact.dev}:${exact.ino}`, directory };
    const source = await findShared(path, inode.key);
    if (source >= 0) return { header: { kind: 'shared', ...content, source }, inode };
  }
  const header = { kind: 'file', ...content, mode: modeOf(stats) } as const;
  const about = inode === undefined ? { header } : { header, inode };
  if (stats.size > smallFileBytes) return { ...about, open: file };
  return { ...about, data: await readExactly(file, stats.size, 0) };
}

async function readFile(reading: EntryReading, entry: FoundFile): Promise<ReadEntry | null> {
  const { path, name } = entry;
  const at = `${reading.root}/${path}`;
  if (!reading.wantsAll) {
    const stats = await rawFiles.lstat(at).catch(gone);
    if (!stats) return null;
    if (!reading.isWanted(path, stats.ctimeMs)) return { header: { kind: 'kept', name, ...contentOf(stats) } };
  }
  const file = await rawFiles.openToRead(at).catch(gone);
  if (file === null) return null;
  let kept: number | undefined;
  try {
    const read = await readOpened(reading, entry, file);
    kept = read.open;
    return read;
  } finally {
    if (kept === undefined) await rawFiles.close(file);
  }
}

/** Reads what is to be sent of one entry. Several entries may be read at once. */
export async function readEntry(reading: EntryReading, found: Found): Promise<ReadEntry | null> {
  if (found.kind === 'file') return readFile(reading, found);
  if (found.kind === 'open') return { header: found };
  const stats = await rawFiles.lstat(`${reading.root}/${found.path}`).catch(gone);
  // A directory that has gone is sent empty, since those that follow have their numbers.
  return { header: { kind: 'directory', name: found.name, mode: stats ? modeOf(stats) : 0o755 } };
}

/**
 * Begins the reads of up to `limit` items at once, and yields their results in the order of the items. When the reader
 * leaves or a read fails, each result that was not yielded is left to `leave`.
 */
export async function* readAhead<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  read: (item: Item) => Promise<Result>,
  leave: (result: Result) => void,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const reading = read(item);
      // Its failure is thrown when its turn comes.
      reading.catch(() => {});
      begun.push(reading);
      const [first] = begun;
      if (begun.length < limit || !first) continue;
      const result = await first;
      void begun.shift();
      yield result;
    }
    for (let first = begun.shift(); first; first = begun.shift()) yield await first;
  } finally {
    for (const reading of begun) reading.then(leave, () => {});
  }
}
