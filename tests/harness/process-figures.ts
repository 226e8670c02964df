import { readdir, readFile } from 'node:fs/promises';

interface Process {
  readonly parent: number;
  readonly zombie: boolean;
  /** CPU time of the process and of its children that have ended and been waited for, in milliseconds. */
  readonly cpuMs: number;
}

/** Clock ticks of /proc are hundredths of a second on every architecture that Node supports. */
const msPerTick = 10;

/** Snapshot of all processes of the machine, by process id. */
export type ProcessTable = ReadonlyMap<number, Process>;

export async function readProcesses(): Promise<ProcessTable> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const table = new Map<number, Process>();
  await Promise.all(
    ids.map(async (id) => {
      const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
      // The name of the command, in parentheses, may contain any character.
      const [state = '', parent = '', ...others] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // utime, stime, cutime and cstime, the fields 14 to 17 of proc(5).
      const ticks = others.slice(9, 13).reduce((sum, field) => sum + Number(field), 0);
      if (state !== '') {
        table.set(Number(id), { parent: Number(parent), zombie: state === 'Z', cpuMs: ticks * msPerTick });
      }
    }),
  );
  return table;
}

/** Returns the process ids of all descendants of a process. */
export function descendants(table: ProcessTable, root: number): number[] {
  const children = [...table].filter(([, { parent }]) => parent === root).map(([id]) => id);
  return children.flatMap((id) => [id, ...descendants(table, id)]);
}

/**
 * Returns the CPU milliseconds of a process and all its descendants. The sum keeps what a descendant has used when that
 * one ends: its parent's entry then has it.
 */
export function cpuMsOf(table: ProcessTable, root: number): number {
  return [root, ...descendants(table, root)].reduce((sum, pid) => sum + (table.get(pid)?.cpuMs ?? 0), 0);
}

/** Returns the summed proportional set sizes (PSS) of some processes, in MiB: memory that they share counts once. */
export async function proportionalMb(pids: readonly number[]): Promise<number> {
  const sizes = pids.map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export async function descriptorsOf(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`).catch(() => [])).length;
}
