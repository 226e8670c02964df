import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** The page size of x86-64, and of arm64 kernels but a few. */
const pageBytes = 4_096;

/** Reads a small file of /proc at once: the kernel makes it from counters, in microseconds. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Returns the anonymous memory of one process, in bytes: what is resident without pages of files, such as mapped packs;
 * 0 where there is no /proc.
 */
export function processMemory(pid: number | string): number {
  const [, resident = '0', shared = '0'] = textOf(`/proc/${pid}/statm`).split(' ');
  return Math.max(0, Number(resident) - Number(shared)) * pageBytes;
}

/**
 * Returns the anonymous memory, in bytes, of a process and of what it has started, on the system's account; 0 where
 * there is no /proc. Tools start their helpers from their main thread.
 */
export function groupMemory(pid: number | string): number {
  const id = String(pid);
  const children = textOf(`/proc/${id}/task/${id}/children`).split(' ').filter(Boolean);
  return children.reduce((bytes, child) => bytes + groupMemory(child), processMemory(id));
}

const intervalMs = 1_000;

const readText = (path: string) => readFile(path, 'utf8').catch(() => '');

/**
 * Returns the bytes that a process and its descendants have written to files and pipes. Linux adds the bytes of a child
 * that was waited for to those of its parent; descendants that outlive their parent are missed.
 */
async function writtenBy(pid: string): Promise<number> {
  const written = Number(/^wchar: (\d+)$/m.exec(await readText(`/proc/${pid}/io`))?.[1] ?? 0);
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => readText(`/proc/${pid}/task/${thread}/children`)));
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean));
  return (await Promise.all(children.map(writtenBy))).reduce((sum, bytes) => sum + bytes, written);
}

/**
 * Calls `exceeded`, perhaps several times and once after the stop, when a process and its descendants have written more
 * than `bytesMax`: prlimit bounds each file, but not their sum. The pid is undefined for a command that did not start.
 * Returns a stop function.
 */
export function watchWrites(pid: number | undefined, bytesMax: number, exceeded: () => void): () => void {
  if (bytesMax === Infinity) return () => {};
  const timer = setInterval(() => {
    void writtenBy(String(pid)).then((bytes) => {
      if (bytes > bytesMax) exceeded();
    });
  }, intervalMs);
  return () => clearInterval(timer);
}
