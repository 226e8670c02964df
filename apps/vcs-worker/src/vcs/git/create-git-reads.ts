import type { GenerationCache } from '../../cache/generation-cache.ts';
import type { Changeset, RepositoryState, VcsReads } from '../backend.ts';
import { orderNodes } from '../node-order.ts';
import { scopeOfRead, type CallScope } from '../process/call-scope.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import { classifyMissingObject } from './classify-missing-object.ts';
import type { CommitGraphs } from './commit-graph.ts';
import { createGraphWalk, createPlainWalk } from './commit-walk.ts';
import { createGitContent } from './create-git-content.ts';
import { createGitCommands, type GitCommands } from './git-commands.ts';
import { createHistory, type HistoryCaches } from './history.ts';
import { readDefaultBranch } from './default-branch.ts';
import type { KeptObjectReader, ObjectReader } from './object-reader.ts';
import { parseCommit } from './parse-commit.ts';
import { parseTree } from './parse-tree.ts';
import { readGitChangeset, readGitLog } from './read-log.ts';
import { readGitRefs } from './read-refs.ts';
import type { RemoteOptions } from './remote-operations.ts';
import { commitFromNewest, countCommits, resolveGitRevision } from './resolve-revision.ts';

export interface GitBackendOptions extends RemoteOptions {
  readonly gitCommand: readonly string[];
  readonly bzip2Command: readonly string[];
  readonly commandTimeoutMs: number;
  readonly cache: GenerationCache;
}

interface KeptTools {
  readonly reader: KeptObjectReader;
  readonly graphs: CommitGraphs;
  readonly histories: HistoryCaches;
}

const treeBytesMax = 256 * 1024 * 1024;

export function gitCommandsOf(
  { gitCommand, commandTimeoutMs, limits }: GitBackendOptions,
  scope: CallScope,
  env = childEnvironment(),
) {
  const bounds = { timeoutMs: commandTimeoutMs, stdoutBytesMax: treeBytesMax, limits: limits.oneShot };
  return createGitCommands({ gitCommand, env, ...bounds, scope });
}

async function readTip(git: GitCommands, reader: ObjectReader, path: string): Promise<Changeset | null> {
  const walk = createPlainWalk(git);
  const [rawId, count] = await Promise.all([commitFromNewest(walk, path, 0), countCommits(walk, path)]);
  if (rawId === null) return null;
  const object = await reader.read(path, rawId);
  if (!object) throw new VcsError('failed', `commit ${rawId} cannot be read`);
  return parseCommit(object, count - 1);
}

/** Creates the reads of one call, or of operations; kept processes and histories are shared by all of them. */
export function createGitReads(
  options: GitBackendOptions,
  kept: KeptTools,
  scope: CallScope,
  state?: RepositoryState,
): VcsReads {
  const git = gitCommandsOf(options, scope);
  const reader = kept.reader.forCall(scope, state?.generation);
  const gitUntil = (signal?: AbortSignal) => (signal ? gitCommandsOf(options, scopeOfRead(signal)) : git);
  const walkUntil = (signal?: AbortSignal) => createGraphWalk(gitUntil(signal), kept.graphs);
  const { signal } = scope;
  const { histories } = kept;
  const history = createHistory({ walkUntil, caches: histories, state, signal });
  const tools = { git, reader, walk: walkUntil(), history };
  return {
    ...createGitContent(git, reader, { ...options, scope }),
    forCall: (ofCall, known = state) => createGitReads(options, kept, scopeOfRead(ofCall), known),
    async tip(path) {
      if (!state) return readTip(git, reader, path);
      const read = async (shared: AbortSignal) => ({
        tip: await readTip(gitUntil(shared), kept.reader.forCall(scopeOfRead(shared), state.generation), path),
      });
      return (await histories.tips.get(state, [], read, signal)).tip;
    },
    resolveRevision: (path, revision) => resolveGitRevision(tools, path, revision),
    async nodes(path, rawId, root) {
      const directory = normalizeRoot(root);
      const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', '--end-of-options', `${rawId}:${directory}`];
      const { exitCode, stdout } = await git.tryRun(path, args);
      if (exitCode !== 0) throw await classifyMissingObject(git, path, rawId, directory, 'tree');
      return orderNodes(directory, parseTree(stdout));
    },
    changeset: (path, rawId, wanted) => readGitChangeset(tools, path, rawId, wanted),
    log: (path, query) => readGitLog(tools, path, query),
    refs: (path) => readGitRefs(git, reader, path),
    defaultBranch: readDefaultBranch,
  };
}
