import { LRUCache } from 'lru-cache';
import { anySignal, type CallScope } from '../process/call-scope.ts';
import { mayHaveBeenIdle, toolFailure } from '../process/tool-failure.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgResult } from './command-server.ts';
import { onRepository } from './hg-argv.ts';
import { NoServerError, type ServerPool } from './server-pool.ts';

export interface HgCommandOptions {
  readonly stdoutBytesMax?: number;
  readonly signal?: AbortSignal | undefined;
  readonly memoryWaitMs?: number | null;
  /** Makes a receiver of the output for each try of the command; `stdout` of the result then stays empty. */
  readonly sink?: () => (data: Buffer) => void;
  /** Whether the command takes long on a large repository that is sound, so that a timeout says nothing of damage. */
  readonly mayBeLong?: boolean;
}

/** Runs Mercurial commands on a repository through a pool of command servers. */
export interface HgCommands {
  /** Returns stdout; throws VcsError `failed` for a non-zero exit code. */
  run(path: string, args: readonly string[], options?: HgCommandOptions): Promise<Buffer>;
  tryRun(path: string, args: readonly string[], options?: HgCommandOptions): Promise<HgResult>;
}

/** Returns the commands of one call, which end when its signal aborts. */
export function hgCommandsOf(hg: HgCommands, { signal, memoryWaitMs }: CallScope): HgCommands {
  const scoped = (own: HgCommandOptions = {}) => ({ ...own, memoryWaitMs, signal: anySignal(own.signal, signal) });
  return {
    run: (path, args, own) => hg.run(path, args, scoped(own)),
    tryRun: (path, args, own) => hg.tryRun(path, args, scoped(own)),
  };
}

const stdoutBytesMax = 256 * 1024 * 1024;
/** A server costs more to start than most commands to end. */
const cancelGraceMs = 200;

/** Time for which a repository stays suspect after a timeout. */
const suspectMs = 300_000;
const suspectsMax = 1_000;

/**
 * Some damage makes Mercurial loop without end. After a command has timed out, its repository is suspect for a while:
 * all suspect repositories share the `suspect` pool, so that they occupy no server of the others. A command that may be
 * long makes those alone suspect that may be long, too.
 */
export function createHgCommands(pools: { regular: ServerPool; suspect: ServerPool }, timeoutMs: number): HgCommands {
  const suspects = new LRUCache<string, true>({ max: suspectsMax, ttl: suspectMs });
  // Large rather than damaged, perhaps: other commands keep the regular servers.
  const slow = new LRUCache<string, true>({ max: suspectsMax, ttl: suspectMs });

  const runOn = async (path: string, args: readonly string[], { sink, mayBeLong, ...own }: HgCommandOptions) => {
    const isSuspect = suspects.has(path) || (mayBeLong && slow.has(path));
    const pool = isSuspect ? pools.suspect : pools.regular;
    try {
      return await pool.run(onRepository(path, args), {
        timeoutMs,
        stdoutBytesMax,
        cancelGraceMs,
        onStdout: sink?.(),
        ...own,
      });
    } catch (error) {
      const hangs = error instanceof VcsError && error.kind === 'timeout' && !(error instanceof NoServerError);
      if (hangs) (mayBeLong ? slow : suspects).set(path, true);
      throw error;
    }
  };

  const tryRun = async (path: string, args: readonly string[], own: HgCommandOptions = {}): Promise<HgResult> => {
    const run = () => runOn(path, args, own);
    try {
      return await run();
    } catch (error) {
      if (!mayHaveBeenIdle(error)) throw error;
      return run();
    }
  };
  return {
    tryRun,
    async run(path, args, own) {
      const { exitCode, stdout, stderr } = await tryRun(path, args, own);
      if (exitCode !== 0) throw toolFailure(`hg ${args[0]} ended with ${exitCode}`, stderr);
      return stdout;
    },
  };
}
