import { VcsError } from '../vcs-error.ts';
import type { ObjectReader } from './object-reader.ts';
import { parseParents } from './parse-commit.ts';
import { requireComparable } from './require-comparable.ts';

/**
 * Returns the line of stdin with which `diff-tree --stdin --root` compares a commit with its first parent, or a root
 * commit with the empty tree. Throws VcsError `unknown-revision` when there is no such commit, and `too-large` when they
 * differ in too many paths.
 */
export async function againstFirstParent(reader: ObjectReader, path: string, rawId: string): Promise<string> {
  const commit = await reader.read(path, rawId);
  if (commit?.type !== 'commit') throw new VcsError('unknown-revision', 'no such commit');
  const [parent] = parseParents(commit);
  await requireComparable(reader, path, parent, rawId);
  return `${[rawId, parent].join(' ').trimEnd()}\n`;
}
