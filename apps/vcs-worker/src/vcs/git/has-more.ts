import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';

/**
 * Returns whether a reference of a repository, of whatever name, leads to what no reference of the other one leads to.
 * Objects alone do not count: a maintenance would remove them.
 */
export async function gitHasMore(git: GitCommands, path: string, other: string): Promise<boolean> {
  const { exitCode, stdout, stderr } = await git.tryRun(path, ['for-each-ref', '--format=%(objectname)']);
  if (exitCode !== 0 || stderr.includes('ignoring broken ref')) {
    throw new VcsError('failed', `git for-each-ref ended with ${exitCode}: ${stderr}`);
  }
  const ids = [...new Set(stdout.toString('latin1').split('\n').filter(Boolean))];
  if (ids.length === 0) return false;
  const input = `${ids.join('\n')}\n`;
  const there = await git.run(other, ['cat-file', '--batch-check'], { input });
  if (/ missing$/m.test(there.toString('latin1'))) return true;
  const args = ['rev-list', '--max-count=1', '--stdin', '--not', '--all'];
  return (await git.run(other, args, { input, mayBeLong: true })).length > 0;
}
