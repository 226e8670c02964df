import { rm } from 'node:fs/promises';
import { ConfigError, type Logger } from '@trunkline/runtime';
import type { readWorkerConfig } from '../../config.ts';
import { makeRuntimeDir } from '../../vcs/process/runtime-dir.ts';
import { watchCacheSpace } from './watch-cache-space.ts';
import { WireCache } from './wire-cache.ts';

type Config = ReturnType<typeof readWorkerConfig>;

/** Opens the cache of answers to git and Mercurial clients. */
export async function openWireCache(config: Config, logger: Pick<Logger, 'warn'>) {
  const { TRUNKLINE_WIRE_CACHE_BYTES: bytesMax, TRUNKLINE_WIRE_CACHE_DIR: parent } = config;
  const directory = await makeRuntimeDir(parent ?? undefined).catch((cause: unknown) => {
    throw new ConfigError('TRUNKLINE_WIRE_CACHE_DIR must be a directory that can be written', { cause });
  });
  const cache = new WireCache({
    directory,
    noteFailure: (error) => logger.warn({ err: error }, 'no file could be opened for the answer to a client'),
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
