import type { CommitGraphs } from './commit-graph.ts';
import type { GitCommands } from './git-commands.ts';

/** Runs `rev-list` with these arguments and returns its stdout. */
export type CommitWalk = (path: string, args: readonly string[]) => Promise<Buffer>;

/** Arguments for every commit that a branch or a tag reaches: clients may push other refs, which are no history. */
export const everyCommit = ['--branches', '--tags'] as const;

/** Walks by reading the commit objects themselves; fails when one of them cannot be read. */
export function createPlainWalk(git: GitCommands): CommitWalk {
  return (path, args) => git.run(path, ['rev-list', ...args]);
}

/** Walks in the same order, but reads the commit-graph instead of commit objects when there is a sound one. */
export function createGraphWalk(git: GitCommands, graphs: CommitGraphs): CommitWalk {
  return async (path, args) => {
    const settings = (await graphs.isSound(path)) ? ['-c', 'core.commitGraph=true'] : [];
    return git.run(path, ['rev-list', ...args], { settings });
  };
}
