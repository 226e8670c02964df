import { readFileSync } from 'node:fs';

const msPerTick = 10;

/** Returns the process ids of a process and of what it has started; tools start their helpers from their main thread. */
export function processTree(pid: number): number[] {
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

/** Returns the processor time that processes have used, in milliseconds. Throws when one of them has ended. */
export function cpuMsOfTree(tree: readonly number[]): number {
  return tree.reduce((sum, id) => sum + cpuMsOf(id), 0);
}
