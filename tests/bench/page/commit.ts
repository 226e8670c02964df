import { git } from '../../harness/remotes.ts';

/** Returns the commit that was measured, and whether files differed from it; the files that a run writes do not count. */
export async function readCommit(root: string): Promise<string> {
  try {
    const commit = (await git(root, 'rev-parse', '--short=12', 'HEAD')).trim();
    const changed = await git(root, 'status', '--porcelain', '--', '.', ':!docs/performance.*');
    return changed === '' ? commit : `${commit} with changes`;
  } catch {
    // A copy without its history.
    return 'unknown';
  }
}
