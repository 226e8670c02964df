import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';

/** Why a path of a commit gave no such object: it is not there, or what would be there cannot be read. */
export async function classifyMissingObject(
  git: GitCommands,
  path: string,
  rawId: string,
  name: string,
  wanted: 'blob' | 'tree',
): Promise<VcsError> {
  const below = name === '' ? [] : ['--', name];
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', '--end-of-options', rawId, ...below];
  const { exitCode, stdout, stderr } = await git.tryRead(path, args);
  if (exitCode !== 0) return new VcsError('failed', `git ls-tree ended with ${exitCode}: ${stderr}`);
  const [, type] = stdout.toString('latin1', 0, 64).split(' ');
  const isDamaged = name !== '' && type === wanted;
  return isDamaged
    ? new VcsError('failed', `a ${wanted} cannot be read`)
    : new VcsError('unknown-path', `no ${wanted}`);
}
