import { VcsError } from '../vcs-error.ts';
import type { HgResult } from './command-server.ts';
import { onRepository } from './hg-words.ts';
import type { ServerPool } from './server-pool.ts';

interface ReadOptions {
  readonly stdoutBytesMax?: number;
}

/** Runs Mercurial commands on a repository through the pool. */
export interface HgCommands {
  /** What it prints, or VcsError when it fails. */
  read(path: string, args: readonly string[], options?: ReadOptions): Promise<Buffer>;
  tryRead(path: string, args: readonly string[], options?: ReadOptions): Promise<HgResult>;
}

const stdoutBytesMax = 256 * 1024 * 1024;

export function createHgCommands(pool: ServerPool, timeoutMs: number): HgCommands {
  const tryRead = async (path: string, args: readonly string[], own: ReadOptions = {}): Promise<HgResult> => {
    const run = () => pool.run(onRepository(path, args), { timeoutMs, stdoutBytesMax, ...own });
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
