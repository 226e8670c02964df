import type { CommitGraphs } from './commit-graph.ts';
import type { GitCommands } from './git-commands.ts';

/** Runs `rev-list` with these arguments; what it prints. */
export type CommitWalk = (path: string, args: readonly string[]) => Promise<Buffer>;

/** The commits that references reach. Replace references are none of the history: they are tools of one clone. */
export const everyCommit = ['--exclude=refs/replace/*', '--all'] as const;

/** Reads every commit itself: it fails where one of them cannot be read. */
export function createPlainWalk(git: GitCommands): CommitWalk {
  return (path, args) => git.read(path, ['rev-list', ...args]);
}

/** The same order, from the commit-graph where there is a sound one. */
export function createGraphWalk(git: GitCommands, graphs: CommitGraphs): CommitWalk {
  return async (path, args) => {
    const settings = (await graphs.isSound(path)) ? ['-c', 'core.commitGraph=true'] : [];
    return git.read(path, ['rev-list', ...args], { settings });
  };
}
