import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { walkTree } from '../copies/stream/walk-tree.ts';
import { rawFiles } from '../copies/stream/raw-files.ts';
import { hasCode } from '../has-code.ts';

export interface LinkOptions {
  readonly isTransient: (path: string) => boolean;
  /** Whether files are copied, so that they can be written to. */
  readonly copies: boolean;
  readonly signal: AbortSignal;
}

const bytesOf = (path: string) => Buffer.from(path, 'latin1');

/** Links a file, or copies it where the file system lets it have no further name. */
async function linkFile(from: string, to: string): Promise<void> {
  try {
    await rawFiles.link(from, to);
  } catch (error) {
    if (!hasCode(error, 'EMLINK', 'EPERM', 'ENOTSUP')) throw error;
    await copyFile(bytesOf(from), bytesOf(to), constants.COPYFILE_FICLONE);
  }
}

/**
 * Makes a directory whose files are those of another one, by hard links. Writers replace files, or copy one that has
 * several names before they append to it, so that nothing changes here. What goes meanwhile is left out.
 */
export async function linkTree(source: string, target: string, { isTransient, copies, signal }: LinkOptions) {
  const [from, to] = [rawFiles.pathOf(source), rawFiles.pathOf(target)];
  await rawFiles.mkdir(to, 0o700);
  for await (const found of walkTree(from, isTransient)) {
    signal.throwIfAborted();
    if (found.kind === 'open') continue;
    const [old, path] = [`${from}/${found.path}`, `${to}/${found.path}`];
    if (found.kind === 'directory') {
      await rawFiles.mkdir(path, 0o755);
      continue;
    }
    const linked = copies ? copyFile(bytesOf(old), bytesOf(path), constants.COPYFILE_FICLONE) : linkFile(old, path);
    await linked.catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    });
  }
}
