import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../../has-code.ts';

/** The files of a repository's objects, as paths below `objects`. */
export interface ObjectFiles {
  readonly packs: readonly string[];
  /** The index of several packs, with its bitmaps. */
  readonly indexes: readonly string[];
  readonly loose: readonly string[];
}

/** Loose objects that are listed; the next maintenance packs the others. */
const looseMax = 200_000;
const packName = /^pack-.*\.(?:pack|idx|rev|bitmap|mtimes|keep|promisor)$/;
const indexName = /^multi-pack-index/;

/** Lists a directory; one that does not exist is empty. */
export async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

async function namesOf(path: string, pattern: RegExp): Promise<string[]> {
  return (await entriesOf(path)).map(({ name }) => name).filter((name) => pattern.test(name));
}

async function looseFiles(objects: string): Promise<string[]> {
  const found: string[] = [];
  for (const directory of await namesOf(objects, /^[0-9a-f]{2}$/)) {
    if (found.length >= looseMax) break;
    const names = await namesOf(join(objects, directory), /^[0-9a-f]{38}$/);
    for (const name of names) found.push(`${directory}/${name}`);
  }
  return found;
}

/** Lists the files of a repository's objects; a link counts as the file to which it leads. */
export async function objectFiles(repository: string): Promise<ObjectFiles> {
  const objects = join(repository, 'objects');
  const names = (await entriesOf(join(objects, 'pack'))).map(({ name }) => name);
  const inPack = (pattern: RegExp) => names.filter((name) => pattern.test(name)).map((name) => `pack/${name}`);
  return { packs: inPack(packName), indexes: inPack(indexName), loose: await looseFiles(objects) };
}
