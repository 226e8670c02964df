import {
  type BigIntStats,
  close,
  constants,
  type Dirent,
  fchmod,
  fstat,
  fsync,
  ftruncate,
  futimes,
  link,
  lstat,
  mkdir,
  open,
  read,
  readdir,
  type Stats,
  unlink,
  write,
  writev,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

// Descriptors instead of the FileHandles of node:fs/promises, which cost twice the processor time for small files.
// Paths have one character for each byte, since names need not be UTF-8.
const bytesOf = (path: string) => Buffer.from(path, 'latin1');
const openPath = promisify(open);
const lstatPath = promisify(lstat);
const linkPath = promisify(link);
const unlinkPath = promisify(unlink);
const mkdirPath = promisify(mkdir);
const listPath = promisify<Buffer, { encoding: 'latin1'; withFileTypes: true }, Dirent[]>(readdir);
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

export const rawFiles = {
  /** Converts a path as the rest of the worker has it. */
  pathOf: (path: string): string => Buffer.from(path).toString('latin1'),
  /** Opens a file; fails for a symbolic link and does not wait for the other end of a pipe. */
  openToRead: (path: string) => openPath(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
  /** Makes a file; fails when there is anything at the path. */
  create: (path: string, mode: number) => openPath(bytesOf(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode),
  lstat: (path: string) => lstatPath(bytesOf(path)),
  list: (path: string) => listPath(bytesOf(path), { encoding: 'latin1', withFileTypes: true }),
  mkdir: (path: string, mode: number) => mkdirPath(bytesOf(path), { mode }),
  link: (existing: string, path: string) => linkPath(bytesOf(existing), bytesOf(path)),
  unlink: (path: string) => unlinkPath(bytesOf(path)),
  remove: (path: string) => rm(bytesOf(path), { recursive: true, force: true }),
  close: promisify(close),
  fstat: promisify(fstat),
  /** Exact numbers of inodes. */
  fstatExactly: promisify<number, { bigint: true }, BigIntStats>(fstat),
  lstatExactly: (path: string) =>
    promisify<Buffer, { bigint: true }, BigIntStats>(lstat)(bytesOf(path), { bigint: true }),
  futimes: promisify(futimes),
  fchmod: promisify(fchmod),
  read: promisify(read),
  write: promisify(write),
  writev: promisify(writev),
  sync: promisify(fsync),
  truncate: promisify<number, number>(ftruncate),
};

/** What two copies of a file have in common unless one was changed; times in microseconds, the precision of `futimes`. */
export interface FileContent {
  readonly size: number;
  readonly mtime: number;
}

export function contentOf({ size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>): FileContent {
  return { size, mtime: Math.round(mtimeMs * 1_000) };
}

/** Returns whether two files have one size and time; setting a time may have cut it off. */
export function isSameContent(one: FileContent, other: FileContent): boolean {
  return one.size === other.size && Math.abs(one.mtime - other.mtime) <= 1;
}
