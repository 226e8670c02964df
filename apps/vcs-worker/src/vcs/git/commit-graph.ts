import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../has-code.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { fencedCommand } from '../process/fenced-command.ts';
import { runCommand } from '../process/run-command.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';
import { createGraphCheck } from './graph-check.ts';

/** Parents and dates of commits in a form that git walks quickly; it is derived from them, and can be made again. */
export interface CommitGraphs {
  /** Whether there is one that is what git has written. */
  isSound(path: string): Promise<boolean>;
  /** Adds what it lacks, or writes it anew where it is not sound. Leaves none behind when it fails. */
  write(path: string, signal: AbortSignal): Promise<void>;
}

interface Options {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly limits: CommandLimits;
}

/** Beyond this a repository is walked without it. */
const timeMaxMs = 300_000;

const write = ['commit-graph', 'write', '--reachable', '--split', '--no-progress'];
/** Compares what was added with the commits themselves: dates that are too large for its form are cut off in it. */
const verify = ['commit-graph', 'verify', '--shallow', '--no-progress'];

/** Both forms that git knows, and the locks on them. */
export async function removeCommitGraph(path: string): Promise<void> {
  for (const name of ['commit-graph', 'commit-graph.lock', 'commit-graphs']) {
    await rm(join(path, 'objects/info', name), { recursive: true, force: true });
  }
}

/** The names of its files, which are those of their content. */
async function readChain(path: string): Promise<string> {
  try {
    return await readFile(join(path, 'objects/info/commit-graphs/commit-graph-chain'), 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}

export function createCommitGraphs(git: GitCommands, { env, timeoutMs, limits }: Options): CommitGraphs {
  const isSound = createGraphCheck();

  const run = async (path: string, args: readonly string[], signal: AbortSignal) => {
    const words = fencedCommand(git.words(path, ['-c', 'core.commitGraph=true', ...args]), limits);
    const bounds = { timeoutMs: Math.min(timeoutMs, timeMaxMs), stdoutBytesMax: 1 << 20, signal };
    const { exitCode, stderr } = await runCommand(words, { env, ...bounds });
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
