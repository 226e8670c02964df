import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { expect } from 'vitest';

/** Lists a directory and all below it by raw names, which need not be UTF-8. */
async function listTree(root: string, below = ''): Promise<string[]> {
  const path = Buffer.from(`${root}/${below}`, 'latin1');
  const entries = await readdir(path, { withFileTypes: true, encoding: 'latin1' });
  const lists = entries.map(async (entry) => {
    const name = below + entry.name;
    return entry.isDirectory() ? [name, ...(await listTree(root, `${name}/`))] : [name];
  });
  return (await Promise.all(lists)).flat();
}

interface DescribedFile {
  /** Mode, number of names and content. */
  readonly is: string;
  readonly mtimeMs: number;
}

/** Describes everything below a directory: of a file its mode, names, content and time, of anything else its mode. */
export async function describeTree(root: string): Promise<Record<string, string | DescribedFile>> {
  const lines = await Promise.all(
    (await listTree(root)).map(async (name) => {
      const path = Buffer.from(`${root}/${name}`, 'latin1');
      const found = await lstat(path);
      const mode = (found.mode & 0o777).toString(8);
      if (!found.isFile()) return [name, mode] as const;
      const content = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      return [name, { is: `${mode} ${found.nlink} ${content}`, mtimeMs: found.mtimeMs }] as const;
    }),
  );
  return Object.fromEntries(lines.filter(([name]) => !/\.hg\/w?cache/.test(name)));
}

/** Expects a tree to be like one described before; times of files may differ by microseconds, which a copy rounds. */
export async function expectTree(root: string, expected: Awaited<ReturnType<typeof describeTree>>): Promise<void> {
  const entries = Object.entries(expected).map(([name, file]) => [
    name,
    typeof file === 'string' ? file : { is: file.is, mtimeMs: expect.closeTo(file.mtimeMs, 2) },
  ]);
  expect(await describeTree(root)).toEqual(Object.fromEntries(entries));
}
