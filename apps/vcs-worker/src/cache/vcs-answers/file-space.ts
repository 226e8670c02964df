import type { StatsFs } from 'node:fs';
import { type FileHandle, open, statfs as readSizes, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { KeyedCounter } from '@trunkline/runtime/concurrency';

/** A repository has at most this part of the bytes, but at least those with which one file begins. */
const sharePart = 1 / 2;

/** The bytes of the files of one repository. */
export interface FileShare {
  /** Takes bytes for a file; returns false when files that are in use have the rest. */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

/**
 * The bytes that files may have in all, and those of one repository. Answers that are kept for later make way for those
 * that clients ask for now; a repository that has its share makes way itself.
 */
export class FileSpace {
  readonly #evict: (repositoryId: number | null) => boolean;
  readonly #ofRepository = new KeyedCounter<number>();
  #bytesMax = 0;
  #bytes = 0;

  /** `evict` removes one file that no client reads, of this repository or of any; it returns false when there is none. */
  constructor(evict: (repositoryId: number | null) => boolean) {
    this.#evict = evict;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get bytesMax(): number {
    return this.#bytesMax;
  }

  shareOf(repositoryId: number): FileShare {
    return {
      take: (bytes) => this.#take(repositoryId, bytes),
      release: (bytes) => {
        this.#bytes -= bytes;
        this.#ofRepository.remove(repositoryId, bytes);
      },
    };
  }

  /** Files that are in use keep what they have. */
  resize(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#evictUntil(bytesMax);
  }

  #take(repositoryId: number, bytes: number): boolean {
    while (!this.#hasShare(repositoryId, bytes)) if (!this.#evict(repositoryId)) return false;
    this.#evictUntil(this.#bytesMax - bytes);
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    this.#ofRepository.add(repositoryId, bytes);
    return true;
  }

  #hasShare(repositoryId: number, bytes: number): boolean {
    const held = this.#ofRepository.of(repositoryId);
    return held === 0 || held + bytes <= this.#bytesMax * sharePart;
  }

  #evictUntil(bytesMax: number): void {
    while (this.#bytes > Math.max(0, bytesMax) && this.#evict(null));
  }
}

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

/** Opens a new file in a directory and unlinks it: the kernel removes it with this process, however that ends. */
export async function openUnlinkedFile(directory: string): Promise<FileHandle> {
  const path = join(directory, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
