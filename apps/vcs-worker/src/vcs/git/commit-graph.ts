import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../has-code.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { dieWithParentCommand } from '../process/limited-command.ts';
import { runCommand } from '../process/run-command.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';
import { createGraphCheck } from './graph-check.ts';

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
