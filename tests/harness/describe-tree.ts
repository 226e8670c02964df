import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';

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

/** Describes every file of a tree: mode, time, content and number of names. */
export async function describeTree(root: string): Promise<Record<string, string>> {
  const lines = await Promise.all(
    (await listTree(root)).map(async (name) => {
      const path = Buffer.from(`${root}/${name}`, 'latin1');
      const found = await lstat(path);
      const mode = (found.mode & 0o777).toString(8);
      if (!found.isFile()) return [name, mode] as const;
      const content = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      return [name, `${mode} ${Math.floor(found.mtimeMs)} ${found.nlink} ${content}`] as const;
    }),
  );
  return Object.fromEntries(lines.filter(([name]) => !/\.hg\/w?cache/.test(name)));
}
