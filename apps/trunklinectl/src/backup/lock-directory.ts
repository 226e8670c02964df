import { toOneLine } from '@trunkline/runtime';
import { lockFile } from '@trunkline/runtime/concurrency';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { RefusedError } from '../errors.ts';
import type { Terminal } from '../command.ts';

/** A file in each directory of a backup: says whose it is, and is locked by the process that uses it. Never removed. */
export const noticeName = 'trunkline-backup.txt';
const notice = 'Files of `trunklinectl backup`, which removes those here that a new manifest does not name.\n';

/** Codes of a directory to which this user cannot write, so that no backup of theirs changes it. */
const readOnlyCodes = new Set<unknown>(['EACCES', 'EPERM', 'EROFS', 'ENOENT']);

async function lock(file: FileHandle, directory: string, terminal: Pick<Terminal, 'err'>): Promise<void> {
  const isLocked = await lockFile(file, 0).catch((error: unknown) => {
    terminal.err(`${directory} is not locked against other backups: ${toOneLine(error)}\n`);
    return true;
  });
  if (!isLocked) throw new RefusedError(`another backup or restore uses ${directory}`);
}

/**
 * Runs `act` while no other process writes a backup to the directory or restores that in it, whatever instance it is of.
 * The kernel gives the lock up when this process dies.
 */
export async function whileDirectoryIsLocked<T>(
  directory: string,
  terminal: Pick<Terminal, 'err'>,
  act: () => Promise<T>,
): Promise<T> {
  const file = await open(join(directory, noticeName), 'a', 0o600);
  try {
    await lock(file, directory, terminal);
    if ((await file.stat()).size === 0) {
      await file.writeFile(notice);
      await file.sync();
    }
    return await act();
  } finally {
    await file.close();
  }
}

/** Runs `act` while no backup changes the directory, which may be one to which this user cannot write. */
export async function whileDirectoryIsRead<T>(
  directory: string,
  terminal: Pick<Terminal, 'err'>,
  act: () => Promise<T>,
): Promise<T> {
  let file: FileHandle;
  try {
    file = await open(join(directory, noticeName), 'r+');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && readOnlyCodes.has(error.code))) throw error;
    return act();
  }
  try {
    await lock(file, directory, terminal);
    return await act();
  } finally {
    await file.close();
  }
}
