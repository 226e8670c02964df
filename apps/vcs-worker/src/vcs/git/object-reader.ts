import { LRUCache } from 'lru-cache';
import { VcsError } from '../vcs-error.ts';
import { CatFile, type GitObject } from './cat-file.ts';
import type { GitCommands } from './git-commands.ts';

/** Point reads through a `git cat-file --batch` that is kept for each recently used repository. */
export interface ObjectReader {
  /** The object of an expression built by us; null when there is none or it is ambiguous. */
  read(path: string, expression: string): Promise<GitObject | null>;
  close(): void;
}

const keptMax = 16;
const idleMs = 60_000;

export function createObjectReader(git: GitCommands, env: NodeJS.ProcessEnv, timeoutMs: number): ObjectReader {
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
    const opened = new CatFile(git.words(path, ['cat-file', '--batch']), env, timeoutMs);
    kept.set(path, opened);
    return opened;
  };
  return {
    async read(path, expression) {
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
