import type { StatsFs } from 'node:fs';
import { statfs as readSizes } from 'node:fs/promises';
import type { FileSpace } from './file-space.ts';

export interface CacheSpaceOptions {
  readonly space: Pick<FileSpace, 'bytes' | 'resize'>;
  readonly directory: string;
  /** Bytes that the files may have; null for the default, which depends on what is free. */
  readonly bytesMax: number | null;
  /** Whether bytes are given back while little of the file system is free. */
  readonly sparesFreeSpace: boolean;
  readonly everyMs?: number;
  readonly statfs?: (path: string) => Promise<Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>>;
}

const defaultBytesMax = 10 * 1024 * 1024 * 1024;
const defaultShareOfFree = 0.05;
const freeShareMin = 0.1;
const everyMsDefault = 5_000;

/**
 * Limits the bytes of the files in a directory, and looks again and again at what is free there: below a tenth, the files
 * give bytes back. Resolves when the limit is known; the returned function ends the watch.
 */
export async function watchCacheSpace(options: CacheSpaceOptions): Promise<() => void> {
  const { space, directory, sparesFreeSpace, everyMs = everyMsDefault, statfs = readSizes } = options;
  let chosen = options.bytesMax;
  const look = async () => {
    // A file system that does not report its sizes gets no files.
    const sizes = await statfs(directory).catch(() => null);
    if (!sizes) return space.resize(0);
    const free = sizes.bavail * sizes.bsize;
    chosen ??= Math.min(defaultBytesMax, Math.floor(free * defaultShareOfFree));
    const spared = sparesFreeSpace ? sizes.blocks * sizes.bsize * freeShareMin : 0;
    space.resize(Math.max(0, Math.min(chosen, Math.floor(space.bytes + free - spared))));
  };
  await look();
  if (chosen === 0) return () => {};
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const wait = () => {
    if (hasEnded) return;
    timer = setTimeout(() => void look().then(wait), everyMs);
    timer.unref();
  };
  wait();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
}
