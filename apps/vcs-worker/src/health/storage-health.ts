import type { StatsFs } from 'node:fs';
import { rm, statfs as readSizes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageState } from '@trunkline/contracts';
import type { Logger } from '@trunkline/runtime';
import { SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';
import { hasCode } from '../has-code.ts';
import { readMarker } from '../storage/marker.ts';
import { probePath } from '../storage/survey.ts';

export interface StorageHealth {
  readonly state: StorageState;
  /** Free bytes for the worker's user, without those reserved for root; null when the system does not report them. */
  readonly freeBytes: number | null;
  readonly totalBytes: number | null;
}

export interface StorageHealthOptions {
  readonly root: string;
  readonly id: string;
  readonly name: string;
  /** Free bytes below which the state is `full`, as it also is below 1 % of the size; 0 turns both limits off. */
  readonly freeBytesMin: number;
  readonly probeEveryMs: number;
  readonly logger: Logger;
  /** Reads the sizes of the file system; tests make it hang. */
  readonly statfs?: (path: string) => Promise<StatsFs>;
}

/** The state of the storage as this worker sees it. */
export interface StorageWatch {
  /** Result of the last probe; null until the first probe has ended. */
  readonly last: StorageHealth | null;
  /** Probes the storage unless the last probe is fresh. Never rejects, and resolves within a few seconds. */
  probe(): Promise<StorageHealth>;
  /** Returns whether the storage will not be full with as many bytes more; reads the sizes now, within a few seconds. */
  hasSpaceFor(bytes: number): Promise<boolean>;
}

const probeMsMax = 5_000;
const freeShareMin = 0.01;
const unknown: StorageHealth = { state: 'failing', freeBytes: null, totalBytes: null };

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
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) return 'full';
    return hasCode(error, 'EROFS', 'EACCES', 'EPERM') ? 'read-only' : 'failing';
  }
}

/** Returns whether a file system is full for new repositories, or would be with as many bytes more. */
function isFull({ files, ffree, bavail, blocks, bsize }: StatsFs, freeBytesMin: number, moreBytes = 0): boolean {
  const freeMin = freeBytesMin === 0 ? 0 : Math.max(freeBytesMin, blocks * bsize * freeShareMin);
  return bavail * bsize - moreBytes < freeMin || (files > 0 && ffree === 0);
}

async function probeStorage({
  root,
  id,
  freeBytesMin,
  statfs = readSizes,
}: StorageHealthOptions): Promise<StorageHealth> {
  const marker = await readMarker(root);
  const found = await statfs(root).catch(() => null);
  if (!found) return { ...unknown, state: marker === null ? 'no-marker' : 'failing' };
  const freeBytes = found.bavail * found.bsize;
  const sizes = { freeBytes, totalBytes: found.blocks * found.bsize };
  if (marker !== id) return { ...sizes, state: marker === null ? 'no-marker' : 'foreign' };
  const state = await tryWriting(root);
  return { ...sizes, state: state === 'ok' && isFull(found, freeBytesMin) ? 'full' : state };
}

/** Watches the storage, and logs each change of its state. */
export function watchStorage(options: StorageHealthOptions): StorageWatch {
  let last: StorageHealth | null = null;
  let probedAt = Number.NEGATIVE_INFINITY;
  const probes = new SingleFlight<StorageHealth>();

  const keep = (health: StorageHealth): StorageHealth => {
    if (health.state !== (last?.state ?? 'ok'))
      options.logger.warn({ storage: options.name, state: health.state }, 'the state of the storage has changed');
    last = health;
    return health;
  };

  let calls = 0;
  let answered = 0;
  const probe = async (call: number) => {
    const health = await probeStorage(options).catch(() => unknown);
    // What a probe of a hung disk found long ago says nothing about the disk now.
    if (call < answered) return last ?? health;
    answered = call;
    probedAt = performance.now();
    return keep(health);
  };
  const giveUp = () => {
    // The next call then probes anew as soon as the present probe has ended.
    answered = calls + 1;
    return keep(unknown);
  };

  return {
    get last() {
      return last;
    },
    async hasSpaceFor(bytes) {
      const { root, freeBytesMin, statfs = readSizes } = options;
      const found = statfs(root).then((sizes) => !isFull(sizes, freeBytesMin, bytes));
      return withTimeout(found, probeMsMax, () => false);
    },
    async probe() {
      if (last && performance.now() - probedAt < options.probeEveryMs) return last;
      // A probe of a hung disk does not end.
      return withTimeout(
        probes.run('probe', () => probe((calls += 1))),
        probeMsMax,
        giveUp,
      );
    },
  };
}
