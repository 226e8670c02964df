import { anySignal } from '../process/any-signal.ts';
import type { CallScope } from '../process/call-scope.ts';
import { childEnvironment } from '../process/child-environment.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { endableStream } from '../process/endable-stream.ts';
import { dieWithParentCommand } from '../process/limited-command.ts';
import { streamCommand } from '../process/stream-command.ts';
import type { HgRuns } from './wire/hg-wire.ts';

const settings = [
  '--config=ui.interactive=False',
  '--config=ui.timeout=2',
  '--config=ui.relative-paths=False',
  // Otherwise a command that reads the path of a subrepository would make an empty repository there.
  '--config=subrepos.allowed=False',
];

/** Returns the words that start every hg process: the program and its global settings. */
export function hgArgv(hgCommand: readonly string[]): readonly string[] {
  return [...hgCommand, ...settings];
}

/** Puts the repository before the command and spells its option out: with strict flags hg reads it nowhere else. */
export function onRepository(path: string, args: readonly string[]): readonly string[] {
  return [`--repository=${path}`, ...args];
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
    const words = [...settings, ...onRepository(path, args)];
    return endableStream(
      async function* (signal) {
        const forked = await runs.run([...own, ...words], { signal, memoryWaitMs, timeoutMs });
        const command = dieWithParentCommand([...hgCommand, ...words], limits);
        yield* forked ?? streamCommand(command, { env, timeoutMs, memoryWaitMs, signal });
      },
      anySignal(outer, scope.signal),
    );
  };
}
