import { nameBytes } from '@trunkline/runtime/text';
import type { TreeNode } from './backend.ts';
import { VcsError } from './vcs-error.ts';

const entriesMax = 1_000_000;
const beyondUnits = /[\ud800-\udfff\ufffd]/;

interface Directory {
  readonly path: string;
  readonly directories: Map<string, Directory>;
  readonly files: string[];
}

function emptyDirectory(path: string): Directory {
  return { path, directories: new Map(), files: [] };
}

/** Sorts names by code point or, in names that are not UTF-8, by byte, which is the same order; JavaScript sorts by UTF-16 unit. */
export function inCodePointOrder(names: string[]): string[] {
  if (!names.some((name) => beyondUnits.test(name))) return names.sort();
  return names
    .map((name) => ({ name, bytes: nameBytes(name) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ name }) => name);
}

function addPath(root: Directory, path: string, isDirectory: boolean): void {
  let directory = root;
  let start = 0;
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', start)) {
    directory = subdirectory(directory, path.slice(start, slash));
    start = slash + 1;
  }
  const last = path.slice(start);
  if (isDirectory) subdirectory(directory, last);
  else directory.files.push(last);
}

function subdirectory(directory: Directory, name: string): Directory {
  const known = directory.directories.get(name);
  if (known) return known;
  const created = emptyDirectory(`${directory.path}${name}/`);
  directory.directories.set(name, created);
  return created;
}

/**
 * Orders files and directories, given by paths relative to a root, as the API lists them: every directory of one walk,
 * then every file. A visited directory first lists its own directories and files by last segment, then its directories
 * are visited. Names in the result begin with the root.
 */
export function orderNodes(
  root: string,
  paths: Iterable<{ readonly path: string; readonly isDirectory: boolean }>,
): TreeNode[] {
  const top = emptyDirectory(root === '' ? '' : `${root}/`);
  let entries = 0;
  for (const { path, isDirectory } of paths) {
    entries += 1;
    if (entries > entriesMax) throw new VcsError('too-large', `more than ${entriesMax} entries`);
    addPath(top, path, isDirectory);
  }
  const directories: TreeNode[] = [];
  const files: TreeNode[] = [];
  const toVisit = [top];
  for (let next = toVisit.pop(); next; next = toVisit.pop()) {
    const visited = next;
    const names = inCodePointOrder([...visited.directories.keys()]);
    for (const name of names) directories.push({ name: `${visited.path}${name}`, type: 'dir' });
    for (const name of inCodePointOrder(visited.files)) files.push({ name: `${visited.path}${name}`, type: 'file' });
    for (const name of names.toReversed()) toVisit.push(subdirectory(visited, name));
  }
  return [...directories, ...files];
}
