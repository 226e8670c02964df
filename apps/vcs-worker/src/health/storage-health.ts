import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageState } from '@trunkline/contracts';
import type { Logger } from '@trunkline/runtime';
import { SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';
import { hasCode } from '../has-code.ts';
import { readMarker } from '../storage/marker.ts';
import { probePath } from '../storage/survey.ts';

export interface StorageHealth {
  readonly state: StorageState;
  /** Free bytes for the worker's user, without those reserved for root; null where the system does not report them. */
  readonly freeBytes: number | null;
  readonly totalBytes: number | null;
}

export interface StorageHealthOptions {
  readonly root: string;
  readonly id: string;
  /** With less free space the state is `full`. */
  readonly freeBytesMin: number;
  readonly probeEveryMs: number;
  readonly logger: Logger;
}

/** The state of the storage as this worker sees it. */
export interface StorageWatch {
  readonly last: StorageHealth | null;
  /** Probes the storage unless the last probe is fresh. Never rejects, and waits no longer than a few seconds. */
  look(): Promise<StorageHealth>;
}

const lookMsMax = 5_000;
const unknown: StorageHealth = { state: 'failing', freeBytes: null, totalBytes: null };

/** One file name for all workers: the next worker removes the file of one that died. */
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

async function probe({ root, id, freeBytesMin }: StorageHealthOptions): Promise<StorageHealth> {
  const marker = await readMarker(root);
  const found = await statfs(root).catch(() => null);
  if (!found) return { ...unknown, state: marker === null ? 'no-marker' : 'failing' };
  const freeBytes = found.bavail * found.bsize;
  const sizes = { freeBytes, totalBytes: found.blocks * found.bsize };
  if (marker !== id) return { ...sizes, state: marker === null ? 'no-marker' : 'foreign' };
  const state = await tryWriting(root);
  const filesRunOut = found.files > 0 && found.ffree === 0;
  return { ...sizes, state: state === 'ok' && (freeBytes < freeBytesMin || filesRunOut) ? 'full' : state };
}

/** Watches the storage, and logs each change of its state. */
export function watchStorage(options: StorageHealthOptions): StorageWatch {
  let last: StorageHealth | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const probes = new SingleFlight<StorageHealth>();

  const keep = (health: StorageHealth): StorageHealth => {
    if (health.state !== (last?.state ?? 'ok')) options.logger.warn({ state: health.state }, 'state of the storage');
    last = health;
    return health;
  };

  const look = async () => {
    const health = await probe(options).catch(() => unknown);
    lookedAt = performance.now();
    return keep(health);
  };

  return {
    get last() {
      return last;
    },
    async look() {
      if (last && performance.now() - lookedAt < options.probeEveryMs) return last;
      // A probe of a disk that hangs does not end.
      return withTimeout(probes.run('probe', look), lookMsMax, () => keep(unknown));
    },
  };
}
