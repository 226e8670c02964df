import { LRUCache } from 'lru-cache';
import type { CallScope } from '../process/call-scope.ts';
import { dieWithParentCommand, type CommandLimits } from '../process/command-limits.ts';
import { memoryBudget } from '../process/memory-budget.ts';
import { mayHaveBeenIdle } from '../process/tool-failure.ts';
import { CatFile, type CatFileMode, type GitObject, type GitObjectInfo } from './cat-file.ts';
import type { GitCommands } from './git-commands.ts';

/** Reads single objects through `git cat-file` processes, which are kept for the most recently used repositories. */
export interface ObjectReader {
  /** Returns the object of an expression that Trunkline built; null when no object or more than one matches. */
  read(path: string, expression: string): Promise<GitObject | null>;
  /** Like `read`, but returns no content, so that there is no limit of size. */
  check(path: string, expression: string): Promise<GitObjectInfo | null>;
}

export interface KeptObjectReader {
  /**
   * Returns the reads of one call, which end when its signal aborts. A process goes on reading files that were removed
   * since it opened them, so that each generation of a repository has processes of its own.
   */
  forCall(scope: CallScope, generation?: number): ObjectReader;
  close(): void;
}

/** A repository, and its generation for the call that reads. */
interface Kept {
  readonly path: string;
  readonly generation: number | undefined;
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
    forCall: (scope, generation) => ({
      read: (path, expression) => contents.ask({ path, generation }, expression, scope),
      check: (path, expression) => infos.ask({ path, generation }, expression, scope),
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
  const keyOf = ({ path, generation = 0 }: Kept) => `${generation} ${path}`;
  const findRunning = (kept: Kept): CatFile | undefined => {
    const known = processes.get(keyOf(kept));
    return known?.ended ? undefined : known;
  };
  /** Returns a process that has to be asked at once: it may be retired when another one is started. */
  const processOf = (kept: Kept): CatFile => {
    const known = findRunning(kept);
    if (known) return known;
    const command = dieWithParentCommand(git.argv(kept.path, ['cat-file', mode]), limits);
    const opened = new CatFile(command, mode, env, timeoutMs);
    processes.set(keyOf(kept), opened);
    return opened;
  };
  return {
    async ask(kept: Kept, expression: string, scope: CallScope): Promise<GitObject | null> {
      if (!findRunning(kept)) await memoryBudget.waitForMemory(scope.memoryWaitMs, scope.signal);
      try {
        return await processOf(kept).ask(expression, scope.signal);
      } catch (error) {
        if (!mayHaveBeenIdle(error)) throw error;
        return processOf(kept).ask(expression, scope.signal);
      }
    },
    close: () => processes.clear(),
  };
}
