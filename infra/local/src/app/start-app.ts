import { spawn, type ChildProcess } from 'node:child_process';
import { withTimeout } from '@trunkline/runtime/concurrency';
import { openLogFile } from '../process/log-file.ts';
import { guardedCommand } from '../process/guard.ts';
import { followChild, type Ending, type RunningChild } from '../process/running-child.ts';
import { StartError } from '../start-error.ts';
import { childEnvironment } from '../config.ts';

const readyMsMax = 60_000;

export interface AppOptions {
  /** The compiled main module. */
  readonly entry: string;
  /** Added to the environment of this process, of which TRUNKLINE_* and npm_* are left out. */
  readonly env: Readonly<Record<string, string>>;
  /** What errors call it; the entry when absent. */
  readonly name?: string;
  /** Where the app's output is appended; it is dropped when absent. */
  readonly logPath?: string;
  /** Told how a ready app ended, also after `stop` and `kill`. */
  readonly onExit?: (ending: Ending) => void;
}

export interface RunningApp extends RunningChild {
  /** What the app told when it was ready. */
  readonly ready: unknown;
}

/** The last message of a log, which has JSON lines and, when an app dies of an error, what Node prints. */
function lastWords(log: string): string {
  const lines = log.trim().split('\n');
  const line = lines.findLast((one) => one.startsWith('{"') || /^\w*Error\b/.test(one)) ?? lines.at(-1) ?? '';
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'msg' in entry ? String(entry.msg) : line;
  } catch {
    return line;
  }
}

async function readyOrNot(
  spawned: ChildProcess,
  child: RunningChild,
): Promise<{ ready: unknown } | { failure: string }> {
  const readyOrEnded = Promise.race([
    new Promise<{ ready: unknown }>((resolve) => spawned.once('message', (ready) => resolve({ ready }))),
    child.exited.then((failure) => ({ failure })),
  ]);
  return withTimeout(readyOrEnded, readyMsMax, () => ({ failure: `not ready after ${readyMsMax / 1000} s` }));
}

/**
 * Starts a Node program that tells its parent when it is ready and ends when the parent goes away; it runs in a
 * process group of its own, so that Ctrl-C in a terminal does not reach it. Throws StartError when it ends before.
 */
export async function startApp({ entry, env, name = entry, logPath, onExit }: AppOptions): Promise<RunningApp> {
  const log = logPath === undefined ? null : openLogFile(logPath);
  const output = log?.fd ?? 'ignore';
  try {
    // The signal reaches an app that is still starting, when it does not yet notice that its parent has gone.
    const { command, args } = guardedCommand(process.execPath, [entry], { signal: 'SIGTERM', user: null });
    const spawned = spawn(command, args, {
      detached: true,
      env: { ...childEnvironment(), ...env },
      stdio: ['ignore', output, output, 'ipc'],
    });
    const child = await followChild(spawned, 'SIGTERM');
    const outcome = await readyOrNot(spawned, child);
    if ('failure' in outcome) {
      await child.kill();
      const where = log === null ? '' : ` (log: ${log.path})`;
      const why = (log && lastWords(log.readNew())) || outcome.failure;
      throw new StartError(`${name} did not start: ${why}${where}`);
    }
    if (onExit !== undefined) void child.exited.then(onExit);
    return { ...child, ready: outcome.ready };
  } finally {
    log?.close();
  }
}
