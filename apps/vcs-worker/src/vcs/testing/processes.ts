import { readdir, readFile } from 'node:fs/promises';

/** The command lines of all processes, by id. */
export async function commandLines(): Promise<ReadonlyMap<number, string>> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map(async (id): Promise<[number, string]> => [
      Number(id),
      await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''),
    ]),
  );
  return new Map(lines);
}
