import type { ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { commandCaller } from './command-caller.ts';
import { ComputeTurns } from './compute-turns.ts';
import { diesWithParent } from './limited-command.ts';
import { cpuMsOfTree, processTree } from './proc-tree.ts';

/** Most calls need a few milliseconds. */
const cpuMsMax = 30;
const checkMsMin = 30;
const checkMsMax = 5_000;
const turns = new ComputeTurns({ permits: availableParallelism() });
let nice = 0;

/** Sets the nice value of commands that have used much processor time; with 0 they keep that of this process. */
export function setCommandNice(value: number): void {
  nice = value;
}

/** Returns false when it has to be tried again: unprivileged processes may do this ten times a second in all. */
function lowerSession(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice), { flag: 'r+' });
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EAGAIN');
  }
}

/** Lowers the priority of what has used much processor time; returns whether it has used that much. */
function lowerWhenLong(pid: number, isLong: boolean): { readonly isLong: boolean; readonly isLowered: boolean } {
  try {
    const tree = processTree(pid);
    if (!isLong && cpuMsOfTree(tree) < cpuMsMax) return { isLong: false, isLowered: false };
    for (const id of tree) {
      for (const thread of readdirSync(`/proc/${id}/task`)) setPriority(Number(thread), nice);
    }
  } catch {
    // A process has ended meanwhile, or there is no /proc.
    return { isLong, isLowered: false };
  }
  return { isLong: true, isLowered: lowerSession(pid) };
}

/** Has a long command of a read compute in turns with the others. */
function takeTurns(child: ChildProcess, pid: number, caller: string): void {
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  const signal = (name: NodeJS.Signals) => {
    // Once the child has exited, its pid may belong to another process.
    if (child.exitCode === null && child.signalCode === null) child.kill(name);
  };
  const command = {
    caller,
    ended: ended.signal,
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    cpuMs: () => cpuMsOfTree([pid]),
  };
  // A command without /proc, or one that has just ended, goes on by itself.
  turns.take(command).catch(() => command.resume());
}

/** Returns whether a command is one process, which also ends with this one when it is suspended. */
function isSuspendable(pid: number, command: readonly string[]): boolean {
  try {
    return diesWithParent(command) && processTree(pid).length === 1;
  } catch {
    return false;
  }
}

/**
 * Gives a command that uses much processor time less of it than gateways, workers and short commands get, and lets the
 * commands of reads compute in turns. Where each session is scheduled as one ("autogroup" of sched(7)), a command,
 * which has a session of its own, would otherwise get as much as a whole gateway, whatever the priority of its processes.
 */
export function lowerPriority(child: ChildProcess, command: readonly string[]): void {
  const { pid } = child;
  if (pid === undefined || nice === 0) return;
  const caller = commandCaller.getStore();
  let timer: NodeJS.Timeout;
  let isLong = caller !== undefined && turns.isBusy(caller);
  let hasTurns = false;
  const check = (nextMs: number) => {
    const found = lowerWhenLong(pid, isLong);
    ({ isLong } = found);
    if (isLong && !hasTurns && caller !== undefined && isSuspendable(pid, command)) {
      hasTurns = true;
      takeTurns(child, pid, caller);
    }
    if (!found.isLowered) checkIn(nextMs);
  };
  // Seldom for one that has run for a while without using much: its reader is slow.
  const checkIn = (ms: number) => {
    timer = setTimeout(() => check(Math.min(2 * ms, checkMsMax)), ms).unref();
  };
  if (isLong) check(checkMsMin);
  else checkIn(checkMsMin);
  child.once('exit', () => clearTimeout(timer));
}
