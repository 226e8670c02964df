import { readFile, statfs as readSizes, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatsFs } from 'node:fs';
import type { StorageState } from '@trunkline/contracts';

/** Name of the file in the root of a storage that has the storage's id. */
export const markerName = '.trunkline-storage';

/** Reads the id in a storage's marker file; null when the file cannot be read. */
export async function readMarker(root: string): Promise<string | null> {
  try {
    return (await readFile(join(root, markerName), 'utf8')).trim();
  } catch {
    return null;
  }
}

export interface StorageHealth {
  readonly state: StorageState;
  /** Free bytes for the worker's user, without those reserved for root; null when the system does not report them. */
  readonly freeBytes: number | null;
  readonly totalBytes: number | null;
}

export interface ProbedStorage {
  readonly root: string;
  readonly id: string;
  /** Free bytes below which the state is `full`, as it also is below 1 % of the size; 0 turns both limits off. */
  readonly freeBytesMin: number;
  /** Reads the sizes of the file system; tests make it hang. */
  readonly statfs?: (path: string) => Promise<StatsFs>;
}

/** The probe file, which every worker writes and removes to test whether the storage is writable. */
export const probePath = '@staging/.probe';

const freeShareMin = 0.01;
export const unknownHealth: StorageHealth = { state: 'failing', freeBytes: null, totalBytes: null };

const stateOfCode: Readonly<Record<string, StorageState>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read-only',
  EACCES: 'read-only',
  EPERM: 'read-only',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Tests whether a file can be written. All workers use one name, so that the next removes a dead worker's file. */
async function tryWriting(root: string): Promise<StorageState> {
  const path = join(root, probePath);
  try {
    try {
      await writeFile(path, 'probe\n');
    } finally {
      // On a full disk the file may exist without its content.
      await rm(path, { force: true });
    }
    return 'ok';
  } catch (error) {
    return stateOfCode[codeOf(error)] ?? 'failing';
  }
}

/** Returns whether a file system is full for new repositories, or would be with as many bytes more. */
function isFull({ files, ffree, bavail, blocks, bsize }: StatsFs, freeBytesMin: number, moreBytes = 0): boolean {
  const freeMin = freeBytesMin === 0 ? 0 : Math.max(freeBytesMin, blocks * bsize * freeShareMin);
  return bavail * bsize - moreBytes < freeMin || (files > 0 && ffree === 0);
}

export async function probeStorage({
  root,
  id,
  freeBytesMin,
  statfs = readSizes,
}: ProbedStorage): Promise<StorageHealth> {
  const marker = await readMarker(root);
  const found = await statfs(root).catch(() => null);
  if (!found) return { ...unknownHealth, state: marker === null ? 'no-marker' : 'failing' };
  const freeBytes = found.bavail * found.bsize;
  const sizes = { freeBytes, totalBytes: found.blocks * found.bsize };
  if (marker !== id) return { ...sizes, state: marker === null ? 'no-marker' : 'foreign' };
  const state = await tryWriting(root);
  return { ...sizes, state: state === 'ok' && isFull(found, freeBytesMin) ? 'full' : state };
}

/** Returns whether a storage will not be full with as many bytes more; reads the sizes now. */
export async function hasSpaceFor({ root, freeBytesMin, statfs = readSizes }: ProbedStorage, bytes: number) {
  return !isFull(await statfs(root), freeBytesMin, bytes);
}
