import { OperationFailedError } from '@trunkline/contracts';
import type { Dirent } from 'node:fs';
import { hasCode } from '../../has-code.ts';
import { treeLimits } from './frames.ts';
import { rawFiles } from './raw-files.ts';

/** What a walk finds, in the order of the stream. Paths are relative to the tree, one character for each byte. */
export type Found =
  | { readonly kind: 'open'; readonly directory: number }
  | { readonly kind: 'directory'; readonly path: string; readonly name: string }
  | { readonly kind: 'file'; readonly path: string; readonly name: string; readonly directory: number };

interface Pending {
  readonly directory: number;
  /** Ends in `/`, except for the tree itself. */
  readonly prefix: string;
  readonly depth: number;
}

/** Returns the text of a path, for messages. */
const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8');

async function listOf(path: string): Promise<Dirent[]> {
  try {
    return await rawFiles.list(path);
  } catch (error) {
    // A directory may go while the tree is in use.
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/**
 * Walks a tree: each directory before what is in it. Leaves out the paths that `isTransient` names, and fails for
 * anything else that is neither a file nor a directory.
 */
export async function* walkTree(root: string, isTransient: (path: string) => boolean): AsyncGenerator<Found> {
  const pending: Pending[] = [{ directory: 0, prefix: '', depth: 0 }];
  let directories = 1;
  let entries = 0;
  for (let at = pending.pop(); at; at = pending.pop()) {
    const { directory, prefix, depth } = at;
    yield { kind: 'open', directory };
    for (const entry of await listOf(`${root}/${prefix}`)) {
      const { name } = entry;
      const path = prefix + name;
      if (isTransient(path)) continue;
      entries += 1;
      if (entries > treeLimits.entries || depth >= treeLimits.depth)
        throw new OperationFailedError('The repository has too many files, or too many directories in each other');
      if (entry.isFile()) yield { kind: 'file', path, name, directory };
      else if (entry.isDirectory()) {
        pending.push({ directory: directories, prefix: `${path}/`, depth: depth + 1 });
        directories += 1;
        yield { kind: 'directory', path, name };
      } else {
        throw new OperationFailedError(`\`${shown(path)}\` in the repository is neither a plain file nor a directory`);
      }
    }
  }
}
