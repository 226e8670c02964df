import { readdir, readFile } from 'node:fs/promises';

const intervalMs = 1_000;

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

/**
 * Returns the bytes that a process and its descendants have written to files and pipes. Linux adds the bytes of a child
 * that was waited for to those of its parent; descendants that outlive their parent are missed.
 */
async function writtenBy(pid: string): Promise<number> {
  const written = Number(/^wchar: (\d+)$/m.exec(await textOf(`/proc/${pid}/io`))?.[1] ?? 0);
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`)));
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
