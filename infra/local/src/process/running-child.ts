import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { StartError } from '../start-error.ts';

const stopMsMax = 10_000;

/** Ending of a process as a text: "exit code 1" or "SIGKILL". */
export type Ending = string;

export interface RunningChild {
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly exited: Promise<Ending>;
  /** Sends the stop signal and waits for the end of the process; sends SIGKILL after ten seconds. */
  stop(): Promise<void>;
  /** Sends SIGKILL and waits for the end of the process. */
  kill(): Promise<void>;
}

/** Returns the handle of a spawned process; throws StartError when its program cannot be run. */
export async function followChild(child: ChildProcess, stopSignal: NodeJS.Signals): Promise<RunningChild> {
  const exited = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new StartError(`${child.spawnfile} cannot be run: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { pid } = child;
  if (pid === undefined) throw new StartError(`${child.spawnfile} cannot be run`);
  child.on('error', () => {});

  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const killer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
    await exited;
    clearTimeout(killer);
  };
  return { pid, exited, stop: () => end(stopSignal), kill: () => end('SIGKILL') };
}
