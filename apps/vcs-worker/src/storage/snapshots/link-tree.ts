import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { walkTree } from '../../copies/stream/walk-tree.ts';
import { rawFiles } from '../../copies/stream/raw-files.ts';
import { hasCode } from '../../has-code.ts';

interface LinkOptions {
  readonly isTransient: (path: string) => boolean;
  /** Whether files are copied, so that they can be written to. */
  readonly copies: boolean;
  /** Throws when the storage has no space for copies of as many bytes more. */
  readonly requireSpace: (bytes: number) => Promise<void>;
  readonly signal: AbortSignal;
}

const spaceCheckedEvery = 64 * 1024 * 1024;

const bytesOf = (path: string) => Buffer.from(path, 'latin1');

/** Returns a function that copies a file, and looks at the free space at first and after each 64 MB. */
function copying(requireSpace: LinkOptions['requireSpace']) {
  let unchecked = spaceCheckedEvery;
  return async (from: string, to: string) => {
    const { size } = await rawFiles.lstat(from);
    unchecked += size;
    if (unchecked >= spaceCheckedEvery) {
      unchecked = 0;
      await requireSpace(Math.max(size, spaceCheckedEvery));
    }
    await copyFile(bytesOf(from), bytesOf(to), constants.COPYFILE_FICLONE);
  };
}

/**
 * Makes a directory whose files are those of another one, by hard links. Writers replace files, or copy one that has
 * several names before they append to it, so that files here never change. Files that go meanwhile are left out. A file
 * is copied where the file system lets it have no further name.
 */
export async function linkTree(source: string, target: string, options: LinkOptions): Promise<void> {
  const { isTransient, copies, requireSpace, signal } = options;
  const [from, to] = [rawFiles.pathOf(source), rawFiles.pathOf(target)];
  const copy = copying(requireSpace);
  const link = (old: string, path: string) =>
    rawFiles.link(old, path).catch((error: unknown) => {
      if (!hasCode(error, 'EMLINK', 'EPERM', 'ENOTSUP')) throw error;
      return copy(old, path);
    });
  await rawFiles.mkdir(to, 0o700);
  for await (const found of walkTree(from, isTransient)) {
    signal.throwIfAborted();
    if (found.kind === 'open') continue;
    const [old, path] = [`${from}/${found.path}`, `${to}/${found.path}`];
    if (found.kind === 'directory') {
      await rawFiles.mkdir(path, 0o755);
      continue;
    }
    await (copies ? copy : link)(old, path).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    });
  }
}
