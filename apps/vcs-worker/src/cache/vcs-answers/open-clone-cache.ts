import { rm } from 'node:fs/promises';
import { type CallMetrics, ConfigError, type Logger } from '@trunkline/runtime';
import { Counter, Gauge } from 'prom-client';
import type { readWorkerConfig } from '../../config.ts';
import { makeRuntimeDir } from '../../vcs/process/runtime-dir.ts';
import { watchCacheSpace } from './file-space.ts';
import { CloneCache } from './clone-cache.ts';

type Config = ReturnType<typeof readWorkerConfig>;

/** Opens the cache of answers to git and Mercurial clients. */
export async function openCloneCache(config: Config, logger: Pick<Logger, 'warn'>) {
  const { TRUNKLINE_WIRE_CACHE_BYTES: bytesMax, TRUNKLINE_WIRE_CACHE_DIR: parent } = config;
  const directory = await makeRuntimeDir(parent ?? undefined).catch((cause: unknown) => {
    throw new ConfigError('TRUNKLINE_WIRE_CACHE_DIR must be a directory that can be written', { cause });
  });
  const cache = new CloneCache({
    directory,
    reportFailure: (error) => logger.warn({ err: error }, 'no file could be opened for the answer to a client'),
  });
  const endWatch = await watchCacheSpace({
    space: cache.space,
    directory,
    bytesMax,
    sparesFreeSpace: config.TRUNKLINE_STORAGE_FREE_BYTES_MIN > 0,
  });
  return {
    cache,
    async close() {
      endWatch();
      cache.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Registers metrics of the cache of answers to git and Mercurial clients. */
export function observeCloneCache(registry: CallMetrics['registry'], cache: Pick<CloneCache, 'figures'>): void {
  const requests = new Counter({
    name: 'trunkline_wire_cache_requests_total',
    help: 'Requests of git and Mercurial clients that a kept answer, one that was being made, or a new one has answered',
    labelNames: ['outcome'],
    registers: [],
    collect() {
      const { hits, shared, misses } = cache.figures;
      this.reset();
      this.inc({ outcome: 'hit' }, hits);
      this.inc({ outcome: 'shared' }, shared);
      this.inc({ outcome: 'miss' }, misses);
    },
  });
  const entries = new Gauge({
    name: 'trunkline_wire_cache_entries',
    help: 'Answers to git and Mercurial clients that are kept',
    labelNames: ['kind'],
    registers: [],
    collect() {
      const { small, files } = cache.figures;
      this.set({ kind: 'memory' }, small.entries);
      this.set({ kind: 'file' }, files.entries);
    },
  });
  const bytes = new Gauge({
    name: 'trunkline_wire_cache_bytes',
    help: 'Memory of these answers, and bytes of the files of those that are kept or under way',
    labelNames: ['kind'],
    registers: [],
    collect() {
      const { small, files } = cache.figures;
      this.set({ kind: 'memory' }, small.bytes);
      this.set({ kind: 'file' }, files.bytes);
    },
  });
  const max = new Gauge({
    name: 'trunkline_wire_cache_max_bytes',
    help: 'Bytes that these files may have, as free space allows now',
    registers: [],
    collect() {
      this.set(cache.figures.fileBytesMax);
    },
  });
  registry.registerMetric(requests);
  for (const metric of [entries, bytes]) registry.registerMetric(metric);
  registry.registerMetric(max);
}
