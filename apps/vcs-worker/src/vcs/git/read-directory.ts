import type { DirectoryEntry } from '../content.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { pathKind } from './path-kind.ts';
import { classifyMissingObject } from './classify-missing-object.ts';

const entriesMax = 100_000;
const listingBytesMax = 64 * 1024 * 1024;

/** Parses the output of `ls-tree -l -z` for one tree. */
function parseListing(listing: Buffer): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  // Names are bytes; those that are not valid UTF-8 become replacement characters.
  for (const line of listing.toString('utf8').split('\0')) {
    const [, mode = '', size = '', name = ''] = /^(\d{6}) [a-z]+ [0-9a-f]+ +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    if (mode === '') continue;
    const kind = pathKind(mode);
    entries.push({ name, kind, size: kind === 'file' ? Number(size) : null });
  }
  return entries;
}

function inOrder(entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  return entries
    .map((entry) => ({ entry, rank: entry.kind === 'dir' ? 0 : 1, bytes: Buffer.from(entry.name) }))
    .sort((a, b) => a.rank - b.rank || Buffer.compare(a.bytes, b.bytes))
    .map(({ entry }) => entry);
}

/**
 * Lists a directory of a commit: directories first, each kind by name. Throws VcsError `unknown-path` when the path
 * names no directory, `too-large` when the listing exceeds its limits.
 */
export async function readDirectory(
  { git, reader }: GitContentTools,
  path: string,
  rawId: string,
  directory: string,
): Promise<DirectoryEntry[]> {
  const name = normalizeRoot(directory);
  const tree = await reader.check(path, `${rawId}:${name}`);
  if (!tree) throw await classifyMissingObject(git, path, rawId, name, 'tree');
  if (tree.type !== 'tree') throw new VcsError('unknown-path', 'no directory');
  const args = ['ls-tree', '-l', '-z', '--full-tree', '--end-of-options', tree.id];
  const entries = parseListing(await git.run(path, args, { stdoutBytesMax: listingBytesMax }));
  if (entries.length > entriesMax) throw new VcsError('too-large', `more than ${entriesMax} entries`);
  return inOrder(entries);
}
