import { spawn, type ChildProcess } from 'node:child_process';
import { withTimeout } from '@trunkline/runtime/concurrency';
import { openLogFile } from '../process/log-file.ts';
import { guardedCommand } from '../process/guarded-spawn.ts';
import { followChild, type Ending, type RunningChild } from '../process/running-child.ts';
import type { SystemUser } from '../process/system-users.ts';
import { StartError } from '../start-error.ts';
import { childEnvironment } from '../config.ts';

const readyMsMax = 60_000;
/**
 * Threads that mostly wait (fsync, small files, the log, names of hosts) share libuv's pool with the hashing of
 * passwords; its usual four make them wait for each other.
 */
const pool = { UV_THREADPOOL_SIZE: '16' };
/** Otherwise the C library keeps the memory of large answers for each thread that has freed some. */
const allocator = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
/**
 * Has V8 collect all garbage when the old generation has grown fourfold. In a process that has rested V8 would do so at a
 * growth of 30 percent, once a second beside downloads. Node.js accepts the option on the command line alone.
 */
export const collectSeldom = '--heap-growing-percent=300';

export interface AppOptions {
  /** Path of the built program. */
  readonly entry: string;
  /** Variables added to the environment of this process, of which npm_* and nearly all TRUNKLINE_* are left out. */
  readonly env: Readonly<Record<string, string>>;
  /** Path of the Node that runs the app; that of this process when absent. */
  readonly node?: string;
  /** Options of Node; none when absent. */
  readonly nodeOptions?: readonly string[];
  /** User as whom the app runs; that of this process when absent or null. */
  readonly user?: SystemUser | null;
  /** Name of the app in error messages; the entry when absent. */
  readonly name?: string;
  /** Path of the file to which the app's output is appended; the output is dropped when absent. */
  readonly logPath?: string;
  /** Called with the ending of an app that was ready, also after `stop` and `kill`. */
  readonly onExit?: (ending: Ending) => void;
}

export interface RunningApp extends RunningChild {
  /** Message that the app sent when it was ready. */
  readonly ready: unknown;
}

/** The level of errors in the log; warnings are below. */
const errorLevel = 50;
/** What Node writes beside the message of an error: file and line, frames and fields, its version; and its warnings. */
const besideError = /^(?:[\s{}(]|\/.*:\d+$|file:|node:|Node\.js v|$)/;

/** Returns the message of a line that tells of an error, one of the log or of stderr; null for any other line. */
function errorIn(line: string): string | null {
  if (!line.startsWith('{"')) return besideError.test(line) ? null : line;
  try {
    const { level, msg }: { level?: unknown; msg?: unknown } = JSON.parse(line);
    return Number(level) >= errorLevel ? String(msg) : null;
  } catch {
    return null;
  }
}

/** Returns what the output of an app tells last of an error, the one that nobody caught before all others; '' for nothing. */
function reasonIn(output: string): string {
  const lines = output.split('\n');
  const uncaught = lines.findLast((line) => /^\w*Error\b/.test(line));
  return uncaught ?? lines.map(errorIn).findLast((message) => message !== null) ?? '';
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
 * Starts a Node program that sends its parent a message when it is ready, and that ends when its parent ends. It runs
 * in a process group of its own, so that Ctrl-C in a terminal does not reach it. Throws StartError if it is not ready
 * within a minute.
 */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { entry, env, node = process.execPath, nodeOptions = [], user = null, name = entry, logPath, onExit } = options;
  const log = logPath === undefined ? null : openLogFile(logPath);
  const output = log?.fd ?? 'ignore';
  try {
    // The signal ends an app that is still starting, when it does not yet notice the end of its parent.
    const argv = [...nodeOptions, collectSeldom, entry];
    const { command, args } = guardedCommand(node, argv, { signal: 'SIGTERM', user });
    const spawned = spawn(command, args, {
      detached: true,
      // The home directory of this process's user is not for another one.
      env: { ...pool, ...allocator, ...childEnvironment(), ...(user && { HOME: '/nonexistent' }), ...env },
      // Others may not enter the directory of this process.
      ...(user && { cwd: '/' }),
      stdio: ['ignore', output, output, 'ipc'],
    });
    const child = await followChild(spawned, 'SIGTERM');
    const outcome = await readyOrNot(spawned, child);
    if ('failure' in outcome) {
      await child.kill();
      const where = log === null ? '' : ` (log: ${log.path})`;
      const why = (log && reasonIn(log.readNew())) || outcome.failure;
      throw new StartError(`${name} did not start: ${why}${where}`);
    }
    if (onExit !== undefined) void child.exited.then(onExit);
    return { ...child, ready: outcome.ready };
  } finally {
    log?.close();
  }
}
