import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { Duplex } from 'node:stream';
import { VcsError } from '../vcs-error.ts';

/**
 * Starts a command at the head of a process group of its own. What it leaves behind when it exits is killed.
 * A secret is told through descriptor 3 to whoever writes a line there: neither words nor environment show it.
 */
export function spawnGroup(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  secret?: string,
): ChildProcessWithoutNullStreams {
  const [file = '', ...args] = command;
  const pipes = Array.from({ length: secret === undefined ? 3 : 4 }, () => 'pipe' as const);
  const child = spawn(file, args, { env, detached: true, cwd: '/', stdio: pipes });
  // Without a listener a command that does not start would end the whole worker.
  child.on('error', () => {});
  child.on('exit', () => signalGroup(child));
  // So it is when this process has no descriptors left.
  if (!hasPipes(child)) throw new VcsError('failed', 'the command did not start');
  const [, , , asked] = child.stdio;
  if (asked instanceof Duplex) asked.on('error', () => {}).on('data', () => asked.write(secret ?? ''));
  return child;
}

function hasPipes(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return Boolean(child.stdin && child.stdout && child.stderr);
}

/** Ends a child and everything it started. */
export function killGroup(child: ChildProcess): void {
  // Once it has exited, its number may be that of another process.
  if (child.exitCode === null && child.signalCode === null) signalGroup(child);
}

function signalGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}
