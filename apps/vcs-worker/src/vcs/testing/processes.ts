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

/** The command lines of all processes, by id. */
export const commandLines = () => ofAllProcesses('cmdline');

/** Their environments, where they may be read. */
export const environments = () => ofAllProcesses('environ');
