import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundTree } from './find-tree.ts';

const hgFiles = ['store/00changelog.i', 'store/phaseroots', 'store/obsstore', 'bookmarks'];
const gitFiles = ['HEAD', 'packed-refs'];

async function describe(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found ? `${found.size} ${found.mtimeMs}` : '-';
}

/** Returns a digest that changes whenever a push or pull has changed a repository. */
export async function fingerprint({ path, below }: FoundTree): Promise<string> {
  const refs = below === '' ? await readdir(join(path, 'refs'), { recursive: true, withFileTypes: true }) : [];
  const loose = refs.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = [...(below === '' ? gitFiles : hgFiles).map((name) => join(path, name)), ...loose.toSorted()];
  const digest = createHash('sha256');
  for (const file of files) digest.update(`${file.slice(path.length)} ${await describe(file)}\n`);
  return digest.digest('base64url');
}
