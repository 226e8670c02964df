import { nameText } from '@trunkline/runtime/text';
import type { TreeNode } from '../backend.ts';
import type { PathKind } from '../content.ts';
import { orderNodes } from '../node-order.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitContentTools } from './git-content-tools.ts';
import type { ObjectReader } from './object-reader.ts';
import { entryIn, isArgument, objectAt } from './tree-entries.ts';

/** Returns the kind of a tree entry by its mode. */
export function pathKind(mode: string): PathKind {
  // The mode of a directory is 40000 in a tree object and 040000 in the output of `ls-tree`.
  switch (mode.slice(-5, -3)) {
    case '40':
      return 'dir';
    case '20':
      return 'symlink';
    case '60':
      return 'submodule';
    default:
      return 'file';
  }
}

const objectTypes = { dir: 'tree', submodule: 'commit', file: 'blob', symlink: 'blob' } as const;

/** Returns the type of the object that a tree lists at a path which cannot be an argument; '' for none. */
async function listedType(reader: ObjectReader, path: string, rawId: string, name: string): Promise<string> {
  const slash = name.lastIndexOf('/');
  const tree = await objectAt(reader, path, rawId, name.slice(0, Math.max(slash, 0)));
  const object = tree?.type === 'tree' ? await reader.read(path, tree.id) : null;
  const entry = object && entryIn(object.content, name.slice(slash + 1));
  return entry ? objectTypes[pathKind(entry.mode)] : '';
}

/**
 * Returns the error for a path of a commit where no object of the wanted type could be read: `failed` when the commit
 * lists such an object, which then is damaged, or when the commit itself cannot be listed; `is-submodule` when it lists a
 * submodule; else `unknown-path`.
 */
export async function classifyMissingObject(
  { git, reader }: Pick<GitContentTools, 'git' | 'reader'>,
  path: string,
  rawId: string,
  name: string,
  wanted: 'blob' | 'tree',
): Promise<VcsError> {
  const below = name === '' || !isArgument(name) ? [] : ['--', name];
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', '--end-of-options', rawId, ...below];
  const { exitCode, stdout, stderr } = await git.tryRun(path, args);
  if (exitCode !== 0) return new VcsError('failed', `git ls-tree ended with ${exitCode}: ${stderr}`);
  const [, printed] = stdout.toString('latin1', 0, 64).split(' ');
  const type = isArgument(name) ? printed : await listedType(reader, path, rawId, name);
  if (type === 'commit' && name !== '') return new VcsError('is-submodule', 'a submodule');
  // The root is a directory; `ls-tree` without a path prints what is in it.
  const isListed = name === '' ? wanted === 'tree' : type === wanted;
  return isListed ? new VcsError('failed', `a ${wanted} cannot be read`) : new VcsError('unknown-path', `no ${wanted}`);
}

/** Parses the output of `ls-tree -z`; leaves out submodules, which count as neither files nor directories. */
export function* parseTree(output: Buffer): Iterable<{ path: string; isDirectory: boolean }> {
  for (const entry of nameText(output).split('\0')) {
    const tab = entry.indexOf('\t');
    if (tab < 0) continue;
    const type = entry.slice(7, 11);
    if (type !== 'comm') yield { path: entry.slice(tab + 1), isDirectory: type === 'tree' };
  }
}

/** Lists all files and directories below a directory of a commit; throws the error of `classifyMissingObject` for none. */
export async function readNodes(
  { git, reader }: Pick<GitContentTools, 'git' | 'reader'>,
  path: string,
  rawId: string,
  root: string,
): Promise<TreeNode[]> {
  const directory = normalizeRoot(root);
  const tree = await objectAt(reader, path, rawId, directory);
  // Git would list the files of a submodule whose commit the repository has.
  if (tree?.type !== 'tree') throw await classifyMissingObject({ git, reader }, path, rawId, directory, 'tree');
  const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', '--end-of-options', tree.id];
  return orderNodes(directory, parseTree(await git.run(path, args)));
}
