import { LRUCache } from 'lru-cache';
import { VcsError } from '../vcs-error.ts';
import { CatFile, type CatFileMode, type GitObject, type GitObjectInfo } from './cat-file.ts';
import type { CallScope } from '../process/call-scope.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { dieWithParentCommand } from '../process/limited-command.ts';
import { memoryBudget } from '../process/memory-budget.ts';
import type { GitCommands } from './git-commands.ts';

/** Reads single objects through `git cat-file` processes, which are kept for the most recently used repositories. */
export interface ObjectReader {
  /** Returns the object of an expression that Trunkline built; null when no object or more than one matches. */
  read(path: string, expression: string): Promise<GitObject | null>;
  /** Like `read`, but returns no content, so that there is no limit of size. */
  check(path: string, expression: string): Promise<GitObjectInfo | null>;
}

export interface KeptObjectReader {
  /** Returns the reads of one call, which end when its signal aborts. */
  forCall(scope: CallScope): ObjectReader;
  close(): void;
}

const keptMax = 16;
const idleMs = 60_000;

interface ReaderOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly limits: CommandLimits;
}

export function createObjectReader(git: GitCommands, options: ReaderOptions): KeptObjectReader {
  const contents = keepProcesses('--batch', git, options);
  const infos = keepProcesses('--batch-check', git, options);
  return {
    forCall: (scope) => ({
      read: (path, expression) => contents.ask(path, expression, scope),
      check: (path, expression) => infos.ask(path, expression, scope),
    }),
    close() {
      contents.close();
      infos.close();
    },
  };
}

function keepProcesses(mode: CatFileMode, git: GitCommands, { env, timeoutMs, limits }: ReaderOptions) {
  const processes = new LRUCache<string, CatFile>({
    max: keptMax,
    ttl: idleMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (process) => process.retire(),
  });
  const findRunning = (path: string): CatFile | undefined => {
    const known = processes.get(path);
    return known?.ended ? undefined : known;
  };
  /** Returns a process that has to be asked at once: it may be retired when another one is started. */
  const processOf = (path: string): CatFile => {
    const known = findRunning(path);
    if (known) return known;
    const command = dieWithParentCommand(git.argv(path, ['cat-file', mode]), limits);
    const opened = new CatFile(command, mode, env, timeoutMs);
    processes.set(path, opened);
    return opened;
  };
  return {
    async ask(path: string, expression: string, scope: CallScope): Promise<GitObject | null> {
      if (!findRunning(path)) await memoryBudget.waitForMemory(scope.memoryWaitMs, scope.signal);
      try {
        return await processOf(path).ask(expression, scope.signal);
      } catch (error) {
        // A kept process may have been killed while it was idle, which shows at the next request: retries once.
        if (!(error instanceof VcsError && error.kind === 'failed')) throw error;
        return processOf(path).ask(expression, scope.signal);
      }
    },
    close: () => processes.clear(),
  };
}
