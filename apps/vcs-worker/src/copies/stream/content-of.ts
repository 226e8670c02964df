import type { Stats } from 'node:fs';

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
