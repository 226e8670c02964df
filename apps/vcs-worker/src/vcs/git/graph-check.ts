import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../has-code.ts';

const checksumBytes = 20;
const graphBytesMax = 1024 * 1024 * 1024;
const chainBytesMax = 64 * 1024;
const cachedMax = 10_000;

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

/** Returns the commit-graph files that git would read: the single file if it exists, else the layers of the chain. */
async function graphFiles(repository: string): Promise<readonly string[]> {
  const info = join(repository, 'objects/info');
  const single = join(info, 'commit-graph');
  if (await statOf(single)) return [single];
  const chain = join(info, 'commit-graphs/commit-graph-chain');
  const stats = await statOf(chain);
  if (!stats || stats.size > chainBytesMax) return [];
  const names = (await readFile(chain, 'latin1')).split('\n').filter(Boolean);
  return names.map((name) => join(info, `commit-graphs/graph-${name.replaceAll('/', '')}.graph`));
}

/** Returns whether the last 20 bytes of a file are the SHA-1 of the bytes before them. */
async function hasOwnChecksum(file: string, size: number): Promise<boolean> {
  const hash = createHash('sha1');
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { end: size - 1 })) {
    const data = Buffer.concat([rest, chunk as Buffer]);
    rest = data.subarray(Math.max(0, data.length - checksumBytes));
    hash.update(data.subarray(0, data.length - rest.length));
  }
  return rest.length === checksumBytes && hash.digest().equals(rest);
}

/**
 * Returns a function that checks whether a repository has a commit-graph with intact files; git itself does not verify
 * their checksums before it reads them. The result for a file is cached until its inode, size or mtime changes.
 */
export function createGraphCheck(): (repository: string) => Promise<boolean> {
  const cache = new LRUCache<string, Promise<boolean>>({ max: cachedMax });

  const isWhole = async (file: string): Promise<boolean> => {
    const stats = await statOf(file);
    if (!stats?.isFile() || stats.size > graphBytesMax) return false;
    const key = [file, stats.ino, stats.size, stats.mtimeMs].join('\0');
    const known = cache.get(key);
    if (known) return known;
    const checked = hasOwnChecksum(file, stats.size);
    cache.set(key, checked);
    // A failed read says nothing about the file's content.
    checked.catch(() => cache.delete(key));
    return checked;
  };

  return async (repository) => {
    try {
      const files = await graphFiles(repository);
      for (const file of files) if (!(await isWhole(file))) return false;
      return files.length > 0;
    } catch {
      // For example, a file was removed after it had been listed.
      return false;
    }
  };
}
