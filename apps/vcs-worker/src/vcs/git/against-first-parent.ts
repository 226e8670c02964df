import { VcsError } from '../vcs-error.ts';
import type { ObjectReader } from './object-reader.ts';
import { parseParents } from './parse-commit.ts';

/** What `diff-tree --stdin` reads to compare a commit with its first parent or, without one, with nothing. */
export async function againstFirstParent(reader: ObjectReader, path: string, rawId: string): Promise<string> {
  const commit = await reader.read(path, rawId);
  if (commit?.type !== 'commit') throw new VcsError('unknown-revision', 'no such commit');
  return `${[rawId, ...parseParents(commit).slice(0, 1)].join(' ')}\n`;
}
