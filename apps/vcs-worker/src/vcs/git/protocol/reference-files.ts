import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../../has-code.ts';

/** A reference as the files of a repository have it. */
export interface FiledReference {
  readonly name: string;
  readonly id: string;
  /** What a tag object leads to; null for any other object, and undefined where that has to be read from the object. */
  readonly peeled: string | null | undefined;
}

export interface FiledReferences {
  /** Sorted by name. */
  readonly all: readonly FiledReference[];
  /** What HEAD names: a reference, which may not exist, or the id of a commit. */
  readonly head: { readonly reference: string } | { readonly id: string };
}

/** Reading more single files takes longer than a process of git. */
const looseMax = 32;
/** With so many, an answer is still a small one. */
const packedBytesMax = 192 * 1024;
/** Names that git has no doubts about, whatever its release. */
const namePattern = /^refs(?:\/[A-Za-z0-9_](?:[A-Za-z0-9_+#-]|\.(?=[A-Za-z0-9_+#-]))*)+$/;
const packedPattern = /^([0-9a-f]{40}) (\S+)$/;
const idPattern = /^[0-9a-f]{40}\n$/;
const zeros = '0'.repeat(40);

/** Something about the files that is left to git. */
class UnclearError extends Error {}

function requireClear(isClear: boolean): void {
  if (!isClear) throw new UnclearError();
}

function requireName(name: string): void {
  requireClear(namePattern.test(name) && !/\.lock(?:\/|$)/.test(name));
}

function requireId(content: string): void {
  requireClear(idPattern.test(content) && !content.startsWith(zeros));
}

/** Returns the names of the files below a directory; throws UnclearError for too many, and for anything but files. */
async function namesBelow(path: string, directory: string, found: string[] = []): Promise<string[]> {
  for (const entry of await readdir(join(path, directory), { withFileTypes: true })) {
    const name = `${directory}/${entry.name}`;
    if (entry.isDirectory()) await namesBelow(path, name, found);
    // Git writes the new value of a reference to such a file.
    else if (!entry.name.endsWith('.lock')) {
      requireClear(entry.isFile() && found.length < looseMax);
      requireName(name);
      found.push(name);
    }
  }
  return found;
}

/** Returns a reference with a file of its own; null when the file is gone, since the reference was packed or deleted. */
async function readLoose(path: string, name: string): Promise<FiledReference | null> {
  const content = await readFile(join(path, name), 'latin1').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (content === undefined) return null;
  requireId(content);
  return { name, id: content.slice(0, 40), peeled: name.startsWith('refs/heads/') ? null : undefined };
}

async function readPacked(path: string): Promise<FiledReference[]> {
  const file = join(path, 'packed-refs');
  const found = await stat(file).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
  if (!found) return [];
  requireClear(found.size <= packedBytesMax);
  const [head = '', ...lines] = (await readFile(file, 'latin1')).split('\n');
  requireClear(/^# pack-refs with:(?=.* fully-peeled )(?=.* sorted )/.test(head) && lines.pop() === '');
  const packed: FiledReference[] = [];
  for (const line of lines) {
    const last = packed.at(-1);
    if (line.startsWith('^') && last) packed[packed.length - 1] = { ...last, peeled: line.slice(1) };
    else {
      const [, id = '', name = ''] = packedPattern.exec(line) ?? [];
      requireName(name);
      requireId(`${id}\n`);
      packed.push({ name, id, peeled: null });
    }
  }
  return packed;
}

async function readHead(path: string): Promise<FiledReferences['head']> {
  const content = await readFile(join(path, 'HEAD'), 'latin1');
  const reference = /^ref: (\S+)\n$/.exec(content)?.[1];
  if (reference === undefined) requireId(content);
  else requireName(reference);
  return reference === undefined ? { id: content.slice(0, 40) } : { reference };
}

async function read(path: string): Promise<FiledReferences> {
  const head = await readHead(path);
  // First the single files: git removes one only after the packed ones have it.
  const loose = await Promise.all((await namesBelow(path, 'refs')).map((name) => readLoose(path, name)));
  const all = new Map<string, FiledReference>();
  for (const one of await readPacked(path)) all.set(one.name, one);
  for (const one of loose) if (one) all.set(one.name, one);
  return { all: [...all.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), head };
}

/**
 * Reads all references of a repository from its files, in less time than a process of git needs to start; null for a
 * repository in which something is left to git: many references, symbolic ones, unusual names, and damaged files.
 */
export async function readReferenceFiles(path: string): Promise<FiledReferences | null> {
  try {
    return await read(path);
  } catch (error) {
    // Such as a directory that is gone meanwhile: git looks again.
    if (error instanceof UnclearError || hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null;
    throw error;
  }
}
