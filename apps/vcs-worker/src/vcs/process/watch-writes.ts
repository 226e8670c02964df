import { readdir, readFile } from 'node:fs/promises';

const intervalMs = 1_000;

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '');

/** Bytes that a process, those it started and those that have ended below it have written, into pipes as well. */
async function writtenBy(pid: string): Promise<number> {
  const written = Number(/^wchar: (\d+)$/m.exec(await textOf(`/proc/${pid}/io`))?.[1] ?? 0);
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(threads.map((thread) => textOf(`/proc/${pid}/task/${thread}/children`)));
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean));
  return (await Promise.all(children.map(writtenBy))).reduce((sum, bytes) => sum + bytes, written);
}

/** Says when a process and what it started have written too much; answers how to stop looking. */
export function watchWrites(pid: number | undefined, bytesMax: number, exceeded: () => void): () => void {
  if (bytesMax === Infinity) return () => {};
  const timer = setInterval(() => {
    void writtenBy(String(pid)).then((bytes) => {
      if (bytes > bytesMax) exceeded();
    });
  }, intervalMs);
  return () => clearInterval(timer);
}
