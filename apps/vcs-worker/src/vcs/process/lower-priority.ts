import { readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, getPriority, setPriority } from 'node:os';
import { createLoadMeter } from '@trunkline/runtime/concurrency';
import { commandCaller } from './command-caller.ts';
import { ComputeTurns, type EndTurn } from './compute-turns.ts';
import { cpuMsOfTree, processTree } from './proc-tree.ts';

/** Most calls need a few milliseconds; hg needs a hundred to start. */
const cpuMsMax = 200;
const checkMsMin = 30;
const checkMsMax = 5_000;
let turns = new ComputeTurns({ permits: availableParallelism() });
let nice = 0;

/** Sets the nice value of commands that have used much processor time; with 0 they keep that of this process. */
export function setCommandNice(value: number, isOverloaded = createLoadMeter()): void {
  nice = value;
  turns = new ComputeTurns({ permits: availableParallelism(), isOverloaded });
}

/** Returns false when it has to be tried again: unprivileged processes may do this ten times a second in all. */
function lowerSession(pid: number, value: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(value), { flag: 'r+' });
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EAGAIN');
  }
}

/** Half of the way down, for what is short or alone; never above this process, which only root may give its children. */
const halfNice = (): number => Math.max(Math.ceil(nice / 2), getPriority());

/** Lowers the priority of what has used much processor time; returns whether it has used that much. */
function lowerWhenLong(
  pid: number,
  { isLong, value }: { readonly isLong: boolean; readonly value: number },
): { readonly isLong: boolean; readonly isLowered: boolean } {
  try {
    const tree = processTree(pid);
    if (!isLong && cpuMsOfTree(tree) < cpuMsMax) return { isLong: false, isLowered: false };
    for (const id of tree) {
      for (const thread of readdirSync(`/proc/${id}/task`)) setPriority(Number(thread), value);
    }
  } catch {
    // A process has ended meanwhile, or there is no /proc.
    return { isLong, isLowered: false };
  }
  return { isLong: true, isLowered: lowerSession(pid, value) };
}

/** Lowers the priority of a command that starts under overload half as far: most end before they have used much. */
function lowerAtStart(pid: number): void {
  const value = halfNice();
  try {
    setPriority(pid, value);
  } catch {
    // The process has ended meanwhile.
    return;
  }
  lowerSession(pid, value);
}

export interface RunningCommand {
  readonly pid: number;
  /** Aborts when the command has ended: its process id may then belong to another process. */
  readonly ended: AbortSignal;
  /** Whether the kernel kills the command when this process dies, even while the command is suspended. */
  readonly diesWithWorker: boolean;
  /** Present when the command was counted before it started. */
  readonly firstTurn?: FirstTurn;
}

/** What a command may have waited for before its start. */
export interface FirstTurn {
  /** Ends its turn; absent when it started without one. */
  readonly end?: EndTurn | undefined;
}

/** Counts a command that is to start among those of its caller until `ended`, and waits for its first turn. */
export async function awaitFirstTurn(
  { ended, diesWithWorker }: Pick<RunningCommand, 'ended' | 'diesWithWorker'>,
  signal?: AbortSignal,
): Promise<FirstTurn> {
  if (nice === 0) return {};
  const caller = commandCaller.getStore();
  turns.count(caller, ended);
  const starting = { ended, isSuspendable: diesWithWorker };
  return caller === undefined ? {} : { end: await turns.admit(caller, starting, signal) };
}

/** Has a long command of a read compute in turns with the others. */
function takeTurns({ pid, ended }: RunningCommand, caller: string, endFirst: EndTurn | undefined): void {
  const signal = (name: NodeJS.Signals) => {
    try {
      if (!ended.aborted) process.kill(pid, name);
    } catch {
      // The command has just ended.
    }
  };
  const command = {
    caller,
    ended,
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    cpuMs: () => cpuMsOfTree([pid]),
  };
  // A command without /proc, or one that has just ended, goes on by itself.
  turns.take(command, endFirst).catch(() => command.resume());
}

/** Returns whether a command is one process, which also ends with this one when it is suspended. */
function isSuspendable({ pid, diesWithWorker }: RunningCommand): boolean {
  try {
    return diesWithWorker && processTree(pid).length === 1;
  } catch {
    return false;
  }
}

/**
 * Gives a command that uses much processor time less of it than gateways, workers and short commands get, and lets the
 * commands of reads compute in turns; those of a caller with many are taken for long from their start. Where each session
 * is scheduled as one ("autogroup" of sched(7)), a command, which has a session of its own, would otherwise get as much as
 * a whole gateway, whatever the priority of its processes.
 */
export function lowerPriority(command: RunningCommand): void {
  const { pid, ended, firstTurn } = command;
  if (nice === 0) return;
  const caller = commandCaller.getStore();
  let timer: NodeJS.Timeout;
  if (!firstTurn) turns.count(caller, ended);
  let endFirst = firstTurn?.end;
  let isLong = caller !== undefined && turns.isBusy(caller);
  let hasTurns = false;
  let value = 0;
  const check = (nextMs: number) => {
    // Few compute in turns of their own, so half of it is low enough. Only root may raise a priority again.
    const isAlone = caller !== undefined && !turns.isBusy(caller);
    value = Math.max(value, isAlone ? halfNice() : nice);
    const found = lowerWhenLong(pid, { isLong, value });
    ({ isLong } = found);
    if (isLong && !hasTurns && caller !== undefined && isSuspendable(command)) {
      hasTurns = true;
      takeTurns(command, caller, endFirst);
    }
    if (!found.isLowered) checkIn(nextMs);
  };
  // Seldom for one that has run for a while without using much: its reader is slow.
  const checkIn = (ms: number) => {
    timer = setTimeout(() => check(Math.min(2 * ms, checkMsMax)), ms).unref();
  };
  if (!isLong && turns.startsLowered(caller)) lowerAtStart(pid);
  if (isLong) check(checkMsMin);
  else checkIn(checkMsMin);
  if (!hasTurns && endFirst) turns.endInTime(endFirst);
  endFirst = undefined;
  ended.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
