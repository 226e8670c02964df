import { spawn, type ChildProcess } from 'node:child_process';
import { withTimeout } from '@trunkline/runtime/concurrency';
import { openLogFile } from '../process/log-file.ts';
import { guardedCommand } from '../process/guard.ts';
import { followChild, type Ending, type RunningChild } from '../process/running-child.ts';
import type { SystemUser } from '../process/system-user.ts';
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

export interface AppOptions {
  /** Path of the built program. */
  readonly entry: string;
  /** Variables added to the environment of this process, of which npm_* and nearly all TRUNKLINE_* are left out. */
  readonly env: Readonly<Record<string, string>>;
  /** Path of the Node that runs the app; that of this process when absent. */
  readonly node?: string;
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

/** Returns the last message of a log, which has JSON lines and Node's report of an uncaught error. */
function lastMessage(log: string): string {
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
 * Starts a Node program that sends its parent a message when it is ready, and that ends when its parent ends. It runs
 * in a process group of its own, so that Ctrl-C in a terminal does not reach it. Throws StartError if it is not ready
 * within a minute.
 */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { entry, env, node = process.execPath, user = null, name = entry, logPath, onExit } = options;
  const log = logPath === undefined ? null : openLogFile(logPath);
  const output = log?.fd ?? 'ignore';
  try {
    // The signal ends an app that is still starting, when it does not yet notice the end of its parent.
    const { command, args } = guardedCommand(node, ['--enable-source-maps', entry], { signal: 'SIGTERM', user });
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
      const why = (log && lastMessage(log.readNew())) || outcome.failure;
      throw new StartError(`${name} did not start: ${why}${where}`);
    }
    if (onExit !== undefined) void child.exited.then(onExit);
    return { ...child, ready: outcome.ready };
  } finally {
    log?.close();
  }
}
