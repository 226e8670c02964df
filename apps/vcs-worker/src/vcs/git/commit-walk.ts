import type { CommitGraphs } from './commit-graph.ts';
import type { GitCommands } from './git-commands.ts';

/** Runs `rev-list` with these arguments and returns its stdout. The environment may be another than that of all reads. */
export type CommitWalk = (path: string, args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<Buffer>;

/** Arguments for every commit that a branch or a tag reaches: clients may push other refs, which are no history. */
export const everyCommit = ['--branches', '--tags'] as const;

/** Walks by reading the commit objects themselves; fails when one of them cannot be read. */
export function createPlainWalk(git: GitCommands): CommitWalk {
  return (path, args) => git.run(path, ['rev-list', ...args]);
}

type GraphCheck = Pick<CommitGraphs, 'isSound'>;

/** Returns the settings with which a walk of a repository reads its commit-graph, when it has a sound one. */
export async function graphSettings(graphs: GraphCheck, path: string): Promise<readonly string[]> {
  return (await graphs.isSound(path)) ? ['-c', 'core.commitGraph=true'] : [];
}

/** Walks in the same order, but reads the commit-graph instead of commit objects when there is a sound one. */
export function createGraphWalk(git: GitCommands, graphs: GraphCheck): CommitWalk {
  return async (path, args, env) => {
    const settings = await graphSettings(graphs, path);
    return git.run(path, ['rev-list', ...args], { settings, ...(env && { env }) });
  };
}

/** Counts the commits that refs reach. */
export async function countCommits(walk: CommitWalk, path: string): Promise<number> {
  return Number((await walk(path, [...everyCommit, '--count'])).toString());
}

/** Returns the id of the commit at a position in date order over all refs, 0 being the newest; null past the oldest. */
export async function commitFromNewest(walk: CommitWalk, path: string, skip: number): Promise<string | null> {
  const args = [...everyCommit, '--date-order', `--skip=${skip}`, '--max-count=1'];
  return (await walk(path, args)).toString().trim() || null;
}
