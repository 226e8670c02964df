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
