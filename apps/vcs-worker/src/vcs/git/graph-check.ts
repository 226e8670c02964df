import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../has-code.ts';

const checksumBytes = 20;
const graphBytesMax = 1024 * 1024 * 1024;
const chainBytesMax = 64 * 1024;
const keptMax = 10_000;

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

/** The files that git would read, in this order of preference: a single one, or those of a chain. */
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

/** Whether a file ends in the checksum of what stands before that. */
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
 * Whether a repository has a commit-graph whose files are whole, which git itself does not look at before it believes
 * them. Each file is read once; one that has changed is read again.
 */
export function createGraphCheck(): (repository: string) => Promise<boolean> {
  const kept = new LRUCache<string, Promise<boolean>>({ max: keptMax });

  const isWhole = async (file: string): Promise<boolean> => {
    const stats = await statOf(file);
    if (!stats?.isFile() || stats.size > graphBytesMax) return false;
    const key = [file, stats.ino, stats.size, stats.mtimeMs].join('\0');
    const known = kept.get(key) ?? hasOwnChecksum(file, stats.size);
    kept.set(key, known);
    return known;
  };

  return async (repository) => {
    try {
      const files = await graphFiles(repository);
      for (const file of files) if (!(await isWhole(file))) return false;
      return files.length > 0;
    } catch {
      // Such as one that was removed since.
      return false;
    }
  };
}
