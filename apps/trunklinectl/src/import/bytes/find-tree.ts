import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** The metadata of a repository: of a work tree beside it nothing is needed here. */
export interface FoundTree {
  /** Directory that is copied. */
  readonly path: string;
  /** Path of it in the copy; empty where it is the repository itself. */
  readonly below: '' | '.hg';
  /** Path of the repository below the directory of all repositories, as an adoption in place records it. */
  readonly adoptedPath: string;
}

/** Why a repository is not brought; the sentence is for the report. */
export interface RefusedTree {
  readonly reason: string;
}

const entriesMax = 5_000_000;
/** Links that Mercurial makes itself and never follows. */
const ownLinks = new Set(['.hg/wlock', '.hg/store/lock', '.hg/cache/checklink', '.hg/wcache/checklink']);

async function isDirectory(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}

/** Finds the metadata of a repository of this type. */
async function findMetadata(path: string, directory: string, type: 'hg' | 'git'): Promise<FoundTree | RefusedTree> {
  const [hg, git, refs, objects] = await Promise.all(
    ['.hg', '.git', 'refs', 'objects'].map((name) => isDirectory(join(path, name))),
  );
  const bare = refs && objects;
  if ([hg, git, bare].filter(Boolean).length > 1) return { reason: 'its directory is more than one repository' };
  if (type === 'hg') {
    return hg ? { path: join(path, '.hg'), below: '.hg', adoptedPath: directory } : { reason: 'it has no `.hg`' };
  }
  if (git) return { path: join(path, '.git'), below: '', adoptedPath: `${directory}/.git` };
  return bare ? { path, below: '', adoptedPath: directory } : { reason: 'its directory is no git repository' };
}

/** Returns the first entry of a tree that is neither a plain file nor a directory; hooks are never opened. */
async function findOddEntry({ path, below }: FoundTree): Promise<string | undefined> {
  let entries = 0;
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for await (const entry of await opendir(join(path, directory))) {
      entries += 1;
      if (entries > entriesMax) return `it has more than ${entriesMax} files`;
      const relative = join(directory, entry.name);
      if (isLeftOut(relative, below)) continue;
      if (entry.isDirectory()) pending.push(relative);
      else if (!entry.isFile()) return `\`${relative}\` is neither a plain file nor a directory`;
    }
  }
  return undefined;
}

/** Returns whether an entry is not copied: programs of the other host, and locks of processes that are gone. */
export function isLeftOut(relative: string, below: FoundTree['below']): boolean {
  return below === '' ? relative === 'hooks' || relative.startsWith('hooks/') : ownLinks.has(join(below, relative));
}

/**
 * Finds the repository of a name below a directory, and refuses what leads elsewhere. The worker that adopts it looks
 * into it.
 */
export async function findTree(root: string, directory: string, type: 'hg' | 'git'): Promise<FoundTree | RefusedTree> {
  const path = join(root, directory);
  if (!`${path}/`.startsWith(`${join(root)}/`) || directory.split('/').some((part) => part === '..' || part === '')) {
    return { reason: 'its name is no path below the directory of repositories' };
  }
  const real = await realpath(path).catch(() => null);
  if (real === null) return { reason: 'its directory is missing' };
  if (real !== join(await realpath(root), directory)) return { reason: 'it is, or lies behind, a symbolic link' };
  if (!(await isDirectory(path))) return { reason: 'its directory is a file' };
  try {
    const found = await findMetadata(path, directory, type);
    const odd = 'reason' in found ? undefined : await findOddEntry(found);
    return odd === undefined ? found : { reason: odd };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    return { reason: `it cannot be read (${code})` };
  }
}
