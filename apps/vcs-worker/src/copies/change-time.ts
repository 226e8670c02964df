import { mkdir, rm, stat } from 'node:fs/promises';
import type { ClaimedOperation } from '../jobs/operations/claimed-operation.ts';
import type { Storage } from '../storage/storage.ts';

/** A time by the clock of a file system, which need not be that of this machine, in milliseconds. */
export type ChangeTime = number;

/**
 * Returns the time of the storage's file system; files that change from now on have this change time or a later one. The
 * staging directory of the operation's attempt is made for that and removed; a sweep removes what a killed worker leaves.
 */
export async function changeTimeOf(
  storage: Pick<Storage, 'staging'>,
  { id, attempt }: Pick<ClaimedOperation, 'id' | 'attempt'>,
): Promise<ChangeTime> {
  const path = storage.staging(id, attempt);
  await mkdir(path);
  try {
    return (await stat(path)).ctimeMs;
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
