import { opendir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';

/** A directory that looks like a repository. */
export interface FoundRepository {
  readonly type: 'hg' | 'git';
  /** Path below the storage's root; for a git repository with a work tree that of its `.git`. */
  readonly storagePath: string;
  /** Path below the storage's root from which the repository's name is made. */
  readonly directory: string;
}

interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface Scan {
  readonly found: readonly FoundRepository[];
  readonly skipped: readonly Skipped[];
}

const entriesMax = 1_000_000;
const depthMax = 64;
/** Directories that are read at once. */
const readAtOnce = 8;
const repositorySigns = new Set(['.hg', '.git', 'HEAD', 'objects', 'refs']);

/** Returns whether the scan leaves out a directory: a hidden one, or one named like a deleted repository. */
function isIgnored(name: string): boolean {
  return name.startsWith('.') || /^rm__\d{8}_/.test(name);
}

/**
 * Recognises a repository by its directory's entries. Returns a reason when the repository cannot be adopted, and
 * undefined for other directories.
 */
function recognize(directory: string, signs: ReadonlyMap<string, Dirent>): FoundRepository | string | undefined {
  const [hg, git] = [signs.get('.hg'), signs.get('.git')];
  const bare = ['HEAD', 'objects', 'refs'].every((name) => signs.has(name));
  if ([hg, git, bare].filter(Boolean).length > 1) return 'it is more than one repository';
  if (hg) return hg.isDirectory() ? { type: 'hg', storagePath: directory, directory } : '`.hg` is no directory';
  if (git) {
    // A `.git` that is a file points elsewhere.
    return git.isDirectory() ? { type: 'git', storagePath: `${directory}/.git`, directory } : '`.git` is no directory';
  }
  return bare ? { type: 'git', storagePath: directory, directory } : undefined;
}

/**
 * Finds repositories below a root, but none behind symbolic links, inside repositories or in the entries `ours` of the
 * root. Directories that cannot be read are skipped, except the root.
 */
export async function scanDirectories(root: string, ours: ReadonlySet<string>): Promise<Scan> {
  const found: FoundRepository[] = [];
  const skipped: Skipped[] = [];
  const pending: string[] = [];
  let entries = 0;

  const read = async (directory: string) => {
    const signs = new Map<string, Dirent>();
    const below: string[] = [];
    for await (const entry of await opendir(join(root, directory))) {
      entries += 1;
      if (entries > entriesMax) throw new RangeError(`more than ${entriesMax} entries outside repositories`);
      if (repositorySigns.has(entry.name)) signs.set(entry.name, entry);
      if (entry.isDirectory() && !isIgnored(entry.name)) below.push(join(directory, entry.name));
    }
    return { signs, below };
  };

  const top = await read('');
  pending.push(...top.below.filter((name) => !ours.has(name)));
  const visit = async (directory: string) => {
    if (directory.split('/').length > depthMax) {
      skipped.push({ path: directory, reason: `it is more than ${depthMax} directories deep` });
      return;
    }
    try {
      const { signs, below } = await read(directory);
      const repository = recognize(directory, signs);
      if (typeof repository === 'string') skipped.push({ path: directory, reason: repository });
      else if (repository) found.push(repository);
      else pending.push(...below);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      skipped.push({ path: directory, reason: String(error) });
    }
  };
  while (pending.length > 0) await Promise.all(pending.splice(-readAtOnce).map(visit));
  return { found: found.toSorted((a, b) => (a.directory < b.directory ? -1 : 1)), skipped };
}
