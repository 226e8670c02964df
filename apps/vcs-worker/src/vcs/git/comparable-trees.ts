import { VcsError } from '../vcs-error.ts';
import type { ObjectReader } from './object-reader.ts';

/** Git holds every changed path in memory before it prints the first; 200,000 take about 100 MB. */
const pathsMax = 200_000;
const readAtOnce = 256;
const idBytes = 20;

/** Mode and id of each entry of a tree, by its name. */
type Entries = Map<string, string>;

function entriesOf(tree: Buffer): Entries {
  const entries: Entries = new Map();
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const end = tree.indexOf(0, space);
    if (space < 0 || end < 0) break;
    const id = tree.toString('hex', end + 1, end + 1 + idBytes);
    entries.set(tree.toString('latin1', space + 1, end), `${tree.toString('latin1', at, space)} ${id}`);
    at = end + 1 + idBytes;
  }
  return entries;
}

/** Returns the id of an entry that is a directory; '' for any other entry. Old tools wrote the mode with a zero before. */
function treeIdOf(entry: string | undefined): string {
  return /^0?40000 (.*)$/.exec(entry ?? '')?.[1] ?? '';
}

/** Returns the ids of those entries, of which one may be absent, that are files or symbolic links. */
function fileIdsOf(...entries: readonly (string | undefined)[]): string[] {
  return entries.flatMap((entry) => /^0?1[02]0[0-7]{3} (.*)$/.exec(entry ?? '')?.[1] ?? []);
}

interface Differing {
  /** How many entries differ. */
  count: number;
  /** Pairs of directories, of which one may be absent. */
  directories: string[];
  files: string[];
}

function differing(before: Entries, after: Entries): Differing {
  const found: Differing = { count: 0, directories: [], files: [] };
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === now) continue;
    found.count += 1;
    const pair = `${treeIdOf(old)} ${treeIdOf(now)}`;
    if (pair !== ' ') found.directories.push(pair);
    found.files.push(...fileIdsOf(old, now));
  }
  return found;
}

/**
 * Returns the ids of the files in which two commits, the first of which may be absent, differ. Throws VcsError `too-large`
 * when they differ in too many paths. Trees of a few kilobytes can hold the same directory a billion times: each pair of
 * directories is read once a level.
 */
export async function requireComparableTrees(
  reader: ObjectReader,
  path: string,
  before: string | undefined,
  after: string,
): Promise<readonly string[]> {
  const entries = async (id: string) => {
    const object = id === '' ? null : await reader.read(path, id);
    // Git itself reports an object that cannot be read.
    return entriesOf(object?.type === 'tree' ? object.content : Buffer.alloc(0));
  };
  const rootOf = async (commit: string | undefined) =>
    commit === undefined ? '' : ((await reader.check(path, `${commit}^{tree}`))?.id ?? '');

  const files: string[] = [];
  let paths = 0;
  /** How often each pair occurs on the present level. */
  let level = new Map([[`${await rootOf(before)} ${await rootOf(after)}`, 1]]);
  const compare = async (pair: string, times: number, below: Map<string, number>) => {
    const [old = '', now = ''] = pair.split(' ');
    if (old === now) return;
    const found = differing(...(await Promise.all([entries(old), entries(now)])));
    paths += times * found.count;
    if (paths > pathsMax) throw new VcsError('too-large', `more than ${pathsMax} changed paths`);
    for (const each of found.directories) below.set(each, (below.get(each) ?? 0) + times);
    for (const id of found.files) files.push(id);
  };
  while (level.size > 0) {
    const below = new Map<string, number>();
    const pairs = [...level];
    for (let start = 0; start < pairs.length; start += readAtOnce) {
      const some = pairs.slice(start, start + readAtOnce);
      await Promise.all(some.map(([pair, times]) => compare(pair, times, below)));
    }
    level = below;
  }
  return files;
}
