import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import type { Storage } from '../storage/storage.ts';

/** A time by the clock of a file system, which need not be that of this machine, in milliseconds. */
export type ChangeTime = number;

/** Returns the time of the storage's file system; files that change from now on have this change time or a later one. */
export async function changeTimeOf(storage: Pick<Storage, 'absolute'>): Promise<ChangeTime> {
  const path = storage.absolute(`@staging/.clock.${randomUUID()}`);
  try {
    await writeFile(path, '');
    return (await stat(path)).ctimeMs;
  } finally {
    await rm(path, { force: true });
  }
}
