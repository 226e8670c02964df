import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Most calls need a few milliseconds; hg needs a hundred to start. */
const cpuMsMax = 200;
const checkMsMin = 30;
const checkMsMax = 5_000;
const msPerTick = 10;
let nice = 0;

/** Sets the nice value of commands that have used much processor time; with 0 they keep that of this process. */
export function setCommandNice(value: number): void {
  nice = value;
}

/** Returns the process ids of a process and of what it has started; tools start their helpers from their main thread. */
function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => processTree(Number(child)))];
}

/** Returns the processor time of one process and of its children that have ended, in milliseconds. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // utime, stime, cutime and cstime of proc(5), counted from behind the name, which may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * msPerTick, 0);
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

/** Lowers the priority of a command that has used much processor time; returns whether that is done. */
function lowerWhenLong(pid: number): boolean {
  try {
    const tree = processTree(pid);
    if (tree.reduce((sum, id) => sum + cpuMsOf(id), 0) < cpuMsMax) return false;
    for (const id of tree) {
      for (const thread of readdirSync(`/proc/${id}/task`)) setPriority(Number(thread), nice);
    }
  } catch {
    // A process has ended meanwhile, or there is no /proc.
    return false;
  }
  return lowerSession(pid);
}

/**
 * Gives a command that has used much processor time less of it than gateways, workers and short commands get, until
 * `ended` aborts: its process id may then belong to another process. Where each session is scheduled as one ("autogroup"
 * of sched(7)), a command, which has a session of its own, would otherwise get as much as a whole gateway, whatever the
 * priority of its processes.
 */
export function lowerPriority(pid: number, ended: AbortSignal): void {
  if (nice === 0 || ended.aborted) return;
  let timer: NodeJS.Timeout;
  // Seldom for one that has run for a while without using much: its reader is slow.
  const checkIn = (ms: number) => {
    timer = setTimeout(() => {
      if (!lowerWhenLong(pid)) checkIn(Math.min(2 * ms, checkMsMax));
    }, ms).unref();
  };
  checkIn(checkMsMin);
  ended.addEventListener('abort', () => clearTimeout(timer), { once: true });
}
