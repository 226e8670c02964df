import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';

/**
 * Returns the error for a path of a commit where no object of the wanted type could be read: `failed` when the commit
 * lists such an object, which then is damaged, or when the commit itself cannot be listed; else `unknown-path`.
 */
export async function classifyMissingObject(
  git: GitCommands,
  path: string,
  rawId: string,
  name: string,
  wanted: 'blob' | 'tree',
): Promise<VcsError> {
  const below = name === '' ? [] : ['--', name];
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', '--end-of-options', rawId, ...below];
  const { exitCode, stdout, stderr } = await git.tryRun(path, args);
  if (exitCode !== 0) return new VcsError('failed', `git ls-tree ended with ${exitCode}: ${stderr}`);
  const [, type] = stdout.toString('latin1', 0, 64).split(' ');
  // The root is a directory; `ls-tree` without a path prints what is in it.
  const isListed = name === '' ? wanted === 'tree' : type === wanted;
  return isListed ? new VcsError('failed', `a ${wanted} cannot be read`) : new VcsError('unknown-path', `no ${wanted}`);
}
