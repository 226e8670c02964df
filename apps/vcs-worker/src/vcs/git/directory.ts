import { nameBytes, nameText } from '@trunkline/runtime/text';
import type { DirectoryEntry } from '../content.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { readSubmoduleAddresses } from './submodule-addresses.ts';
import { objectAt } from './tree-entries.ts';
import { classifyMissingObject, pathKind } from './tree.ts';

const entriesMax = 100_000;
const listingBytesMax = 64 * 1024 * 1024;

/** Parses the output of `ls-tree -l -z` for one tree. */
function parseListing(listing: Buffer): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  for (const line of nameText(listing).split('\0')) {
    const [, mode = '', id = '', size = '', name = ''] =
      /^(\d{6}) [a-z]+ ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    if (mode === '') continue;
    const kind = pathKind(mode);
    const submodule = kind === 'submodule' ? { submodule: { commit: id, address: null } } : {};
    const executable = mode === '100755' ? ({ executable: true } as const) : {};
    entries.push({ name, kind, size: kind === 'file' ? Number(size) : null, ...executable, ...submodule });
  }
  return entries;
}

/** Adds the addresses of submodules to the entries of a directory. */
async function withAddresses(
  tools: GitContentTools,
  path: string,
  rawId: string,
  directory: string,
  entries: DirectoryEntry[],
): Promise<DirectoryEntry[]> {
  if (!entries.some(({ submodule }) => submodule)) return entries;
  const addresses = await readSubmoduleAddresses(tools, path, rawId);
  const within = directory === '' ? '' : `${directory}/`;
  return entries.map((entry) => {
    const address = addresses.get(within + entry.name) ?? null;
    return entry.submodule ? { ...entry, submodule: { ...entry.submodule, address } } : entry;
  });
}

function inOrder(entries: readonly DirectoryEntry[]): DirectoryEntry[] {
  return entries
    .map((entry) => ({ entry, rank: entry.kind === 'dir' ? 0 : 1, bytes: nameBytes(entry.name) }))
    .sort((a, b) => a.rank - b.rank || Buffer.compare(a.bytes, b.bytes))
    .map(({ entry }) => entry);
}

/**
 * Lists a directory of a commit: directories first, each kind by name. Throws the error of `classifyMissingObject` when
 * the path names no directory, VcsError `too-large` when the listing exceeds its limits.
 */
export async function readDirectory(
  tools: GitContentTools,
  path: string,
  rawId: string,
  directory: string,
): Promise<DirectoryEntry[]> {
  const { git, reader } = tools;
  const name = normalizeRoot(directory);
  const tree = await objectAt(reader, path, rawId, name);
  if (tree?.type !== 'tree') throw await classifyMissingObject(tools, path, rawId, name, 'tree');
  const args = ['ls-tree', '-l', '-z', '--full-tree', '--end-of-options', tree.id];
  const entries = parseListing(await git.run(path, args, { stdoutBytesMax: listingBytesMax }));
  if (entries.length > entriesMax) throw new VcsError('too-large', `more than ${entriesMax} entries`);
  return inOrder(await withAddresses(tools, path, rawId, name, entries));
}
