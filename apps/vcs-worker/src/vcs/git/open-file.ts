import type { OpenFile } from '../content.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitObjectInfo } from './cat-file.ts';
import { entryIn, isArgument, objectAt } from './tree-entries.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { classifyMissingObject, pathKind } from './tree.ts';

/** Size up to which a kept `cat-file` process reads a file or directory; larger ones get a process of their own. */
const keptBytesMax = 1024 * 1024;

async function readMode({ git, reader }: GitContentTools, path: string, tree: GitObjectInfo | null, name: string) {
  if (tree === null) return undefined;
  if (tree.size <= keptBytesMax || !isArgument(name)) {
    const object = await reader.read(path, tree.id);
    return object ? entryIn(object.content, name)?.mode : undefined;
  }
  const args = ['ls-tree', '-z', '--full-tree', '--end-of-options', tree.id, '--', name];
  return (await git.run(path, ['--literal-pathspecs', ...args])).toString('latin1', 0, 6) || undefined;
}

async function* readWhole(
  { reader }: GitContentTools,
  path: string,
  { id }: GitObjectInfo,
): AsyncGenerator<Uint8Array> {
  const object = await reader.read(path, id);
  if (!object) throw new VcsError('failed', `blob ${id} cannot be read`);
  yield object.content;
}

/** Opens a file of a commit; throws the error of `classifyMissingObject` when the path names none. */
export async function openGitFile(
  tools: GitContentTools,
  path: string,
  rawId: string,
  file: string,
): Promise<OpenFile> {
  const full = normalizeRoot(file);
  const slash = full.lastIndexOf('/');
  const [blob, tree] = await Promise.all([
    objectAt(tools.reader, path, rawId, full),
    objectAt(tools.reader, path, rawId, full.slice(0, Math.max(slash, 0))),
  ]);
  if (blob?.type !== 'blob') throw await classifyMissingObject(tools, path, rawId, full, 'blob');
  const mode = await readMode(tools, path, tree, full.slice(slash + 1));
  if (mode === undefined) throw new VcsError('unknown-path', `blob ${blob.id} is in no tree`);
  return {
    size: blob.size,
    executable: mode.endsWith('755'),
    symlink: pathKind(mode) === 'symlink',
    content: {
      [Symbol.asyncIterator]: () =>
        (blob.size <= keptBytesMax
          ? readWhole(tools, path, blob)
          : tools.stream(path, ['cat-file', '--end-of-options', 'blob', blob.id])
        )[Symbol.asyncIterator](),
    },
  };
}
