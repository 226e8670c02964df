import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../has-code.ts';
import { dieWithParentCommand, type CommandLimits } from '../process/command-limits.ts';
import { runCommand } from '../process/run-command.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';

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

/** Git's commit-graph: a cache of parents and dates that makes walks fast; it can be rebuilt from the commits. */
export interface CommitGraphs {
  /** Returns whether the repository has a commit-graph and all files of it match their checksums. */
  isSound(path: string): Promise<boolean>;
  /** Adds missing commits, or rewrites an unsound commit-graph. On failure, removes the commit-graph and throws. */
  write(path: string, signal: AbortSignal): Promise<void>;
}

interface Options {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly limits: CommandLimits;
}

/** Time limit of each command here. A repository whose commit-graph takes longer to write is walked without one. */
const timeMaxMs = 300_000;

const write = ['commit-graph', 'write', '--reachable', '--split', '--no-progress'];
/** Compares the newest layer with the commits themselves: the format cuts off dates that are too large for it. */
const verify = ['commit-graph', 'verify', '--shallow', '--no-progress'];

/** Removes both forms of the commit-graph (single file, chain of layers) and their locks. */
export async function removeCommitGraph(path: string): Promise<void> {
  for (const name of ['commit-graph', 'commit-graph.lock', 'commit-graphs']) {
    await rm(join(path, 'objects/info', name), { recursive: true, force: true });
  }
}

export const graphDirectory = 'info/commit-graphs';
export const graphChainFile = `${graphDirectory}/commit-graph-chain`;

/** Returns the chain file, which names the layers by hashes of their content; '' when there is no chain. */
export async function readChain(path: string): Promise<string> {
  try {
    return await readFile(join(path, 'objects', graphChainFile), 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}

export function createCommitGraphs(git: GitCommands, { env, timeoutMs, limits }: Options): CommitGraphs {
  const isSound = createGraphCheck();

  const run = async (path: string, args: readonly string[], signal: AbortSignal) => {
    const command = dieWithParentCommand(git.argv(path, ['-c', 'core.commitGraph=true', ...args]), limits);
    const bounds = { timeoutMs: Math.min(timeoutMs, timeMaxMs), stdoutBytesMax: 1 << 20, signal };
    const { exitCode, stderr } = await runCommand(command, { env, ...bounds });
    if (exitCode !== 0)
      throw new VcsError('failed', `git ${args.slice(0, 2).join(' ')} ended with ${exitCode}: ${stderr}`);
  };

  return {
    isSound,
    async write(path, signal) {
      if (!(await isSound(path))) await removeCommitGraph(path);
      try {
        const before = await readChain(path);
        await run(path, write, signal);
        if ((await readChain(path)) !== before) await run(path, verify, signal);
      } catch (error) {
        await removeCommitGraph(path);
        throw error;
      }
    },
  };
}
