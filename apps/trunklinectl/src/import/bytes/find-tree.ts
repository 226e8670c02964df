import { lstat, opendir, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import type { Finding } from '../plan/finding.ts';

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

const straysLookedAtMax = 100_000;
const findingsMax = 1_000;

function isRepository(names: ReadonlySet<string>): boolean {
  return names.has('.hg') || names.has('.git') || ['HEAD', 'objects', 'refs'].every((name) => names.has(name));
}

/** Lists repositories below a directory that the database does not know, as far as a bounded search finds them. */
export async function findStrays(root: string, known: ReadonlySet<string>): Promise<Finding[]> {
  const findings: Finding[] = [];
  const pending = [''];
  let entries = 0;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    if (known.has(directory)) continue;
    const names = new Set<string>();
    const below: string[] = [];
    const opened = await opendir(join(root, directory)).catch(() => null);
    for await (const entry of opened ?? []) {
      entries += 1;
      names.add(entry.name);
      if (entry.isDirectory() && !/^[.@]/.test(entry.name)) below.push(join(directory, entry.name));
    }
    if (isRepository(names)) {
      const what = 'the database does not know it: rescan_repos adopts what lies in a storage';
      findings.push({ kind: 'left out', about: `directory ${directory || '.'}`, what });
    } else pending.push(...below);
    if (entries > straysLookedAtMax || findings.length > findingsMax) break;
  }
  return findings;
}
