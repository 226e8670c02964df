import { readdir, readFile } from 'node:fs/promises';

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

async function descendants(pid: string): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`)));
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean));
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

/** Process ids of all that a process has started, at any depth. */
export async function startedBy(pid: number): Promise<number[]> {
  return (await descendants(String(pid))).map(Number);
}

async function residentBytes(pid: number | string, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(await textOf(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) * 1_024;
}

/** How much memory a process, and the largest of its children, held at most while something was done. */
export async function peakMemory(pid: number, act: () => Promise<unknown>): Promise<{ own: number; child: number }> {
  const peak = { own: 0, child: 0 };
  const controller = new AbortController();
  const look = async () => {
    while (!controller.signal.aborted) {
      peak.own = Math.max(peak.own, await residentBytes(pid, 'VmRSS'));
      const children = await startedBy(pid);
      peak.child = Math.max(peak.child, ...(await Promise.all(children.map((id) => residentBytes(id, 'VmHWM')))));
    }
  };
  const looking = look();
  await act().finally(() => controller.abort());
  await looking;
  return peak;
}
