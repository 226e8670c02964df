import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from 'node:child_process';

/** Starts a command at the head of a process group of its own. What it leaves behind when it exits is killed. */
export function spawnGroup(command: readonly string[], env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { env, detached: true, cwd: '/' });
  // Without a listener a command that does not start would end the whole worker.
  child.on('error', () => {});
  child.on('exit', () => signalGroup(child));
  return child;
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
