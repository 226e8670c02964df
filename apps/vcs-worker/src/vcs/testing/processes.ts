import { readdir, readFile } from 'node:fs/promises';

async function ofAllProcesses(file: 'cmdline' | 'environ'): Promise<ReadonlyMap<number, string>> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map(async (id): Promise<[number, string]> => [
      Number(id),
      await readFile(`/proc/${id}/${file}`, 'utf8').catch(() => ''),
    ]),
  );
  return new Map(lines);
}

/** Returns the command lines of all processes, words separated by NUL, by process id. */
export const commandLines = () => ofAllProcesses('cmdline');

/** Returns the environments of all processes by process id; empty when this process may not read one. */
export const environments = () => ofAllProcesses('environ');

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

async function descendants(pid: string): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`)));
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean));
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

/** Returns the process ids of all descendants of a process. */
export async function descendantsOf(pid: number): Promise<number[]> {
  return (await descendants(String(pid))).map(Number);
}

async function residentBytes(pid: number | string, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(await textOf(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

/** Runs `act` and returns the peak resident memory, in bytes, of a process and of its largest descendant. */
export async function peakMemory(pid: number, act: () => Promise<unknown>): Promise<{ own: number; child: number }> {
  const peak = { own: 0, child: 0 };
  const controller = new AbortController();
  const look = async () => {
    while (!controller.signal.aborted) {
      peak.own = Math.max(peak.own, await residentBytes(pid, 'VmRSS'));
      const children = await descendantsOf(pid);
      peak.child = Math.max(peak.child, ...(await Promise.all(children.map((id) => residentBytes(id, 'VmHWM')))));
    }
  };
  const looking = look();
  await act().finally(() => controller.abort());
  await looking;
  return peak;
}
