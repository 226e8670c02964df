import { LRUCache } from 'lru-cache';
import { VcsError } from '../vcs-error.ts';
import { CatFile, type CatFileMode, type GitObject, type GitObjectInfo } from './cat-file.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { fencedCommand } from '../process/fenced-command.ts';
import type { GitCommands } from './git-commands.ts';

/** Point reads through `git cat-file` processes that are kept for each recently used repository. */
export interface ObjectReader {
  /** The object of an expression built by us; null when there is none or it is ambiguous. */
  read(path: string, expression: string): Promise<GitObject | null>;
  /** The same without its content, however large that is. */
  check(path: string, expression: string): Promise<GitObjectInfo | null>;
  close(): void;
}

const keptMax = 16;
const idleMs = 60_000;

interface ReaderOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly limits: CommandLimits;
}

export function createObjectReader(git: GitCommands, options: ReaderOptions): ObjectReader {
  const contents = keepProcesses('--batch', git, options);
  const infos = keepProcesses('--batch-check', git, options);
  return {
    read: contents.ask,
    check: infos.ask,
    close() {
      contents.close();
      infos.close();
    },
  };
}

function keepProcesses(mode: CatFileMode, git: GitCommands, { env, timeoutMs, limits }: ReaderOptions) {
  const kept = new LRUCache<string, CatFile>({
    max: keptMax,
    ttl: idleMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (process) => process.retire(),
  });
  const processOf = (path: string): CatFile => {
    const known = kept.get(path);
    if (known && !known.ended) return known;
    const words = fencedCommand(git.words(path, ['cat-file', mode]), limits);
    const opened = new CatFile(words, mode, env, timeoutMs);
    kept.set(path, opened);
    return opened;
  };
  return {
    async ask(path: string, expression: string): Promise<GitObject | null> {
      try {
        return await processOf(path).ask(expression);
      } catch (error) {
        // A kept process can have been killed while nobody looked; that shows at the next request.
        if (!(error instanceof VcsError && error.kind === 'failed')) throw error;
        return processOf(path).ask(expression);
      }
    },
    close: () => kept.clear(),
  };
}
