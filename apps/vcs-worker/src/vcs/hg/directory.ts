import { nameText } from '@trunkline/runtime/text';
import type { DirectoryEntry } from '../content.ts';
import { inCodePointOrder } from '../node-order.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';
import { filesBelow, readManifestFlags } from './list-files.ts';
import { readSubrepositories, readSubrepositorySources } from './subrepositories.ts';

const entriesMax = 100_000;
/** Most files of a directory whose sizes are read: for each, Mercurial opens the file's filelog, which takes 0.1 ms. */
const sizedMax = 1_000;

interface Names {
  readonly files: Set<string>;
  readonly directories: Set<string>;
  readonly subrepositories: Set<string>;
}

function namesIn(directory: string, files: readonly string[], subrepositories: Iterable<string>): Names {
  const within = directory === '' ? '' : `${directory}/`;
  const names: Names = { files: new Set(), directories: new Set(), subrepositories: new Set() };
  const add = (path: string, leaves: Set<string>) => {
    if (!path.startsWith(within)) return;
    const end = path.indexOf('/', within.length);
    const name = path.slice(within.length, end === -1 ? undefined : end);
    (end === -1 ? leaves : names.directories).add(name);
  };
  for (const path of files) add(path, names.files);
  for (const path of subrepositories) add(path, names.subrepositories);
  for (const name of names.subrepositories) {
    if (names.files.has(name) || names.directories.has(name)) names.subrepositories.delete(name);
  }
  return names;
}

type FileDetails = Pick<DirectoryEntry, 'kind' | 'size' | 'executable'>;

function toDetails(flags: string, size: string): FileDetails {
  const isLink = flags.includes('l');
  const details = { kind: isLink ? 'symlink' : 'file', size: isLink || size === '' ? null : Number(size) } as const;
  return flags.includes('x') ? { ...details, executable: true } : details;
}

/** Returns kind and size of the files that lie in the directory itself, by their full paths. */
async function readDetails(
  hg: HgCommands,
  path: string,
  rawId: string,
  directory: string,
  withSizes: boolean,
): Promise<ReadonlyMap<string, FileDetails>> {
  const template = `--template={path}\\0{flags}\\0${withSizes ? '{size}' : ''}\\0`;
  const pattern = `rootfilesin:${directory === '' ? '.' : directory}`;
  const result = await hg.tryRun(path, ['files', `--rev=${rawId}`, template, '--', pattern]);
  // `hg files` fails on a broken .hgsub, which `hg manifest` does not read.
  if (result.exitCode !== 0) {
    const flags = await readManifestFlags(hg, path, rawId);
    return new Map(Array.from(flags, ([file, found]) => [file, toDetails(found, '')]));
  }
  const fields = nameText(result.stdout).split('\0');
  const details = new Map<string, FileDetails>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [file = '', flags = '', size = ''] = fields.slice(at, at + 3);
    details.set(file, toDetails(flags, size));
  }
  return details;
}

function sorted(names: ReadonlySet<string>): string[] {
  return inCodePointOrder([...names].filter((name) => name !== '' && name !== '.' && name !== '..'));
}

/** Returns the entries of one directory; a pinned subrepository is an entry of kind `submodule`. Throws like `openFile`. */
export async function readHgDirectory(
  hg: HgCommands,
  path: string,
  rawId: string,
  requested: string,
): Promise<DirectoryEntry[]> {
  const directory = normalizeRoot(requested);
  const pinned = await readSubrepositories(hg, path, rawId);
  const names = namesIn(directory, await filesBelow(hg, path, rawId, directory), pinned.keys());
  const count = names.files.size + names.directories.size + names.subrepositories.size;
  if (count === 0 && pinned.has(directory)) throw new VcsError('is-submodule', 'a subrepository');
  if (count === 0 && directory !== '') throw new VcsError('unknown-path', 'no directory');
  if (count > entriesMax) throw new VcsError('too-large', `more than ${entriesMax} entries`);

  const unknown: FileDetails = { kind: 'file', size: null };
  const details =
    names.files.size === 0
      ? new Map<string, FileDetails>()
      : await readDetails(hg, path, rawId, directory, names.files.size <= sizedMax);
  const sources =
    names.subrepositories.size === 0 ? new Map<string, string>() : await readSubrepositorySources(hg, path, rawId);
  const fullPath = (name: string) => (directory === '' ? name : `${directory}/${name}`);
  const submodule = (name: string) => ({
    commit: pinned.get(fullPath(name)) ?? '',
    address: sources.get(fullPath(name)) ?? null,
  });
  return [
    ...sorted(names.directories).map((name) => ({ name, kind: 'dir' as const, size: null })),
    ...sorted(new Set([...names.files, ...names.subrepositories])).map((name) => ({
      name,
      ...(names.subrepositories.has(name)
        ? { kind: 'submodule' as const, size: null, submodule: submodule(name) }
        : (details.get(fullPath(name)) ?? unknown)),
    })),
  ];
}
