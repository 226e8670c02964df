import { childEnvironment } from '../process/child-environment.ts';
import type { CommandLimits } from '../process/command-limits.ts';
import { fencedCommand } from '../process/fenced-command.ts';
import { streamCommand } from '../process/stream-command.ts';

const settings = [
  '--config=ui.interactive=False',
  '--config=ui.timeout=2',
  '--config=ui.relative-paths=False',
  // Reading the path of a subrepository would make an empty one there.
  '--config=subrepos.allowed=False',
];

/** How Mercurial is started, whatever for. */
export function hgWords(hgCommand: readonly string[]): readonly string[] {
  return [...hgCommand, ...settings];
}

/** Global options stand before the command and whole: with strict flags they are options nowhere else. */
export function onRepository(path: string, args: readonly string[]): readonly string[] {
  return [`--repository=${path}`, ...args];
}

/** What a command on a repository prints, from a process of its own at the reader's pace. */
export type HgStream = (path: string, args: readonly string[], signal?: AbortSignal) => AsyncIterable<Uint8Array>;

interface StreamLimits {
  readonly hgCommand: readonly string[];
  readonly limits: CommandLimits;
  /** How long it may print nothing. */
  readonly timeoutMs: number;
}

export function createHgStream({ hgCommand, limits, timeoutMs }: StreamLimits): HgStream {
  const env = childEnvironment();
  return (path, args, signal) =>
    streamCommand(fencedCommand([...hgWords(hgCommand), ...onRepository(path, args)], limits), {
      env,
      timeoutMs,
      ...(signal ? { signal } : {}),
    });
}
