import { LRUCache } from 'lru-cache';
import { VcsError } from '../vcs-error.ts';
import type { HgResult } from './command-server.ts';
import { onRepository } from './hg-words.ts';
import { NoServerError, type ServerPool } from './server-pool.ts';

export interface ReadOptions {
  readonly stdoutBytesMax?: number;
  readonly signal?: AbortSignal;
  /** Makes, for each attempt, what takes the output piece by piece; `stdout` then stays empty. */
  readonly sink?: () => (data: Buffer) => void;
}

/** Runs Mercurial commands on a repository through the pool. */
export interface HgCommands {
  /** What it prints, or VcsError when it fails. */
  read(path: string, args: readonly string[], options?: ReadOptions): Promise<Buffer>;
  tryRead(path: string, args: readonly string[], options?: ReadOptions): Promise<HgResult>;
}

const stdoutBytesMax = 256 * 1024 * 1024;

/** For so long a repository is taken for one that hangs. */
const suspectMs = 300_000;
const suspectsMax = 1_000;

/**
 * Some damage makes Mercurial loop without end. A repository that has let a command run out of its time
 * shares one server with its like, for a while, so that it takes none from the others.
 */
export function createHgCommands(pools: { kept: ServerPool; suspect: ServerPool }, timeoutMs: number): HgCommands {
  const suspects = new LRUCache<string, true>({ max: suspectsMax, ttl: suspectMs });

  const runOn = async (path: string, args: readonly string[], { sink, ...own }: ReadOptions) => {
    const pool = suspects.has(path) ? pools.suspect : pools.kept;
    try {
      return await pool.run(onRepository(path, args), { timeoutMs, stdoutBytesMax, onStdout: sink?.(), ...own });
    } catch (error) {
      const hangs = error instanceof VcsError && error.kind === 'timeout' && !(error instanceof NoServerError);
      if (hangs) suspects.set(path, true);
      throw error;
    }
  };

  const tryRead = async (path: string, args: readonly string[], own: ReadOptions = {}): Promise<HgResult> => {
    const run = () => runOn(path, args, own);
    try {
      return await run();
    } catch (error) {
      // A kept server can have been killed while nobody looked; that shows at the next command.
      if (!(error instanceof VcsError && error.kind === 'failed')) throw error;
      return run();
    }
  };
  return {
    tryRead,
    async read(path, args, own) {
      const { exitCode, stdout, stderr } = await tryRead(path, args, own);
      if (exitCode !== 0) throw new VcsError('failed', `hg ${args[0]} ended with ${exitCode}: ${stderr}`);
      return stdout;
    },
  };
}
