import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { copyFile, readdir, rename, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const rotateAboveBytes = 10_000_000;
const tailBytesMax = 64_000;

export interface LogFile {
  readonly path: string;
  /** File descriptor to which a child process appends. */
  readonly fd: number;
  /** Returns the text appended since this opening, at most the last 64 kB. */
  readNew(): string;
  close(): void;
}

/** Opens a log for appending; a log above 10 MB is renamed to `<path>.1` first. */
export function openLogFile(path: string): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path) && statSync(path).size > rotateAboveBytes) renameSync(path, `${path}.1`);
  const fd = openSync(path, 'a+', 0o600);
  const opened = fstatSync(fd).size;
  return {
    path,
    fd,
    readNew() {
      const size = fstatSync(fd).size;
      const from = Math.max(opened, size - tailBytesMax);
      const bytes = Buffer.alloc(Math.max(0, size - from));
      return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
    },
    close: () => closeSync(fd),
  };
}

/**
 * Keeps the logs of a directory below about 10 MB while programs write them: a larger one is copied to `<path>.1` and
 * emptied, since its program keeps it open. Lines that are written in between are lost.
 */
export async function rotateLogs(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (!name.endsWith('.log') || (await stat(path)).size <= rotateAboveBytes) continue;
    await copyFile(path, `${path}.1.new`);
    await truncate(path);
    await rename(`${path}.1.new`, `${path}.1`);
  }
}
