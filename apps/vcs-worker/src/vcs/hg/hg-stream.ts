import { anySignal, type CallScope } from '../process/call-scope.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { dieWithParentCommand, type CommandLimits } from '../process/command-limits.ts';
import { endableStream } from '../process/endable-stream.ts';
import { streamCommand } from '../process/stream-command.ts';
import { hgSettings, onRepository } from './hg-argv.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';

export interface HgRunOptions {
  readonly signal: AbortSignal;
  /** How long the command may wait for memory before it starts, in milliseconds; null when it starts in any case. */
  readonly memoryWaitMs: number | null;
  /** Timeout for the next output while the reader waits, in milliseconds. */
  readonly timeoutMs: number;
}

/** Runs commands in forked processes, which have Mercurial loaded. */
export interface HgRuns {
  /**
   * Starts a command with these words after `hg`; returns its stdout, which ends with ToolFailure for another exit code
   * than 0, and has to be read, or the signal to abort. Returns null where Mercurial does not serve requests, or not yet.
   */
  run(words: readonly string[], options: HgRunOptions): Promise<AsyncIterable<Uint8Array> | null>;
}

/** Streams the stdout of a command on a repository, which runs apart from the kept command servers, at the reader's pace. */
export type HgStream = (path: string, args: readonly string[], signal?: AbortSignal) => AsyncIterable<Uint8Array>;

export interface HgStreamOptions {
  readonly hgCommand: readonly string[];
  /** Runs the commands in forked processes, which need not load Mercurial. */
  readonly runs: HgRuns;
  readonly limits: CommandLimits;
  /** Timeout for the next output while the reader waits. */
  readonly timeoutMs: number;
  readonly scope: CallScope;
}

export function createHgStream({ hgCommand, runs, limits, timeoutMs, scope }: HgStreamOptions): HgStream {
  const env = childEnvironment();
  const { memoryWaitMs } = scope;
  // A forked process has the program, not the settings with which an operator has it started.
  const own = hgCommand.filter((word) => word.startsWith('--config='));
  return (path, args, outer) => {
    const words = [...hgSettings, ...onRepository(path, args)];
    return endableStream(
      async function* (signal) {
        const forked = await runs.run([...own, ...words], { signal, memoryWaitMs, timeoutMs });
        // The arguments of a process of its own are UTF-8.
        if (!forked && words.some((word) => word.includes('\ufffd'))) {
          throw new VcsError('busy', 'Mercurial does not serve requests yet');
        }
        const command = dieWithParentCommand([...hgCommand, ...words], limits);
        yield* forked ?? streamCommand(command, { env, timeoutMs, memoryWaitMs, signal });
      },
      anySignal(outer, scope.signal),
    );
  };
}

export interface HgContentTools {
  /** Runs commands with small output on kept command servers. */
  readonly hg: HgCommands;
  /** Runs each command with possibly large output in a separate process. */
  readonly stream: HgStream;
  /** Path of the extension that makes differences which can be applied. */
  readonly diffExtension: string;
  /** Path of the extension that finds the history of paths and lines. */
  readonly pathExtension: string;
  /** Path of the extension that finds the last changes of a directory. */
  readonly lastChangesExtension: string;
  /** Time after which `readHgFileStats` counts the lines of no further changeset, in milliseconds. */
  readonly timeoutMs: number;
}
