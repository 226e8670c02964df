import { nameBytes } from '@trunkline/runtime/text';
import type { GenerationCache } from '../../cache/generation-cache.ts';
import type { Changeset, RepositoryState, VcsReads } from '../backend.ts';
import type { VcsContent } from '../content.ts';
import { anySignal, scopeOfRead, type CallScope } from '../process/call-scope.ts';
import { archiveEnvironment, childEnvironment, contentEnvironment } from '../process/child-environment.ts';
import { dieWithParentCommand } from '../process/command-limits.ts';
import { streamCommand } from '../process/stream-command.ts';
import { VcsError } from '../vcs-error.ts';
import { annotateFile } from './annotate.ts';
import { streamArchive } from './archive.ts';
import type { CommitGraphs } from './commit-graph.ts';
import { commitFromNewest, countCommits, createGraphWalk, createPlainWalk, graphSettings } from './commit-walk.ts';
import { requireComparableTrees } from './comparable-trees.ts';
import { compareGit, readMergeBase } from './compare.ts';
import { readDefaultBranch, readDefaultRef } from './default-branch.ts';
import { describeGitRefs } from './describe-refs.ts';
import { readDirectory } from './directory.ts';
import { streamDiff, streamPatch } from './diff.ts';
import { readChangesSince } from './file-changes.ts';
import { readFileStats } from './file-stats.ts';
import { createGitCommands, type GitCommands } from './git-commands.ts';
import type { GitContentTools } from './git-content-tools.ts';
import { readGitChangeset, readGitChangesets, readGitLog, readGitRelations } from './git-log.ts';
import { readGitRefs, readGitRefTimes } from './git-refs.ts';
import { createHistory, type HistoryCaches } from './history.ts';
import { readGitLastChanges } from './last-changes.ts';
import type { KeptObjectReader, ObjectReader } from './object-reader.ts';
import { openGitFile } from './open-file.ts';
import { parseCommit } from './parse-commit.ts';
import { readPathHistory } from './path-history.ts';
import type { RemoteOptions } from './remote-operations.ts';
import { findByPrefix, resolveGitRevision } from './resolve-revision.ts';
import { readNodes } from './tree.ts';
import { isArgument } from './tree-entries.ts';

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

/** Size beyond which git neither compares a file line by line nor holds the whole file in memory. */
const bigFile = ['-c', 'core.bigFileThreshold=32m'];

/** Returns a command with the name of a file behind it. Node.js passes UTF-8 alone, xargs any bytes of its input. */
function withFile(command: readonly string[], file: string | undefined) {
  if (file === undefined) return { command };
  if (isArgument(file)) return { command: [...command, file] };
  const input = (async function* () {
    yield nameBytes(file);
  })();
  return { command: ['/usr/bin/xargs', '--null', ...command], input };
}

function createGitContent(
  git: GitCommands,
  reader: ObjectReader,
  graphs: CommitGraphs,
  { files, limits, bzip2Command, commandTimeoutMs: timeoutMs }: GitBackendOptions,
  scope: CallScope,
): VcsContent & Pick<VcsReads, 'parentLines'> {
  const tools: GitContentTools = {
    git,
    reader,
    stream: (path, args, { file, isFlushed = false, ...own } = {}) => {
      const { command, ...input } = withFile(git.argv(path, [...bigFile, ...args]), file);
      const env = contentEnvironment(files, path);
      return streamCommand(dieWithParentCommand(command, limits.oneShot), {
        env: isFlushed ? { ...env, GIT_FLUSH: '1' } : env,
        timeoutMs,
        memoryWaitMs: scope.memoryWaitMs,
        ...input,
        ...own,
        signal: anySignal(own.signal, scope.signal),
      });
    },
  };
  const archiving = {
    env: archiveEnvironment(files),
    timeoutMs,
    memoryWaitMs: scope.memoryWaitMs,
    bzip2Command: dieWithParentCommand(bzip2Command, limits.oneShot),
  };
  return {
    directory: (path, rawId, directory) => readDirectory(tools, path, rawId, directory),
    openFile: (path, rawId, file) => openGitFile(tools, path, rawId, file),
    diff: (path, rawId, wanted) => streamDiff(tools, path, rawId, wanted),
    patch: (path, rawId, wanted) => streamPatch(tools, path, rawId, wanted),
    fileStats: (path, rawIds, filesMax) => readFileStats(tools, path, rawIds, filesMax),
    pathHistory: (path, rawId, file, wanted) => readPathHistory(tools, path, rawId, file, wanted),
    annotate: (path, rawId, file) => annotateFile(tools, path, rawId, file),
    lastChanges: (path, rawId, directory) => readGitLastChanges(tools, graphs, path, rawId, directory),
    archive: (path, rawId, wanted) => streamArchive(tools, archiving, path, rawId, wanted),
    async *parentLines(path, rawIds, until) {
      const args = [...(await graphSettings(graphs, path)), 'rev-list', '--date-order', '--parents', '--stdin'];
      yield* tools.stream(path, args, { input: `${rawIds.join('\n')}\n`, signal: until });
    },
  };
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
    ...createGitContent(git, reader, kept.graphs, options, scope),
    forCall: (ofCall, known = state) => createGitReads(options, kept, scopeOfRead(ofCall), known),
    async tip(path) {
      if (!state) return readTip(git, reader, path);
      const read = async (shared: AbortSignal) => ({
        tip: await readTip(gitUntil(shared), kept.reader.forCall(scopeOfRead(shared), state.generation), path),
      });
      return (await histories.tips.get(state, [], read, signal)).tip;
    },
    resolveRevision: (path, revision) => resolveGitRevision(tools, path, revision),
    findByPrefix: (path, prefix) => findByPrefix(tools, path, prefix),
    nodes: (path, rawId, root) => readNodes(tools, path, rawId, root),
    changeset: (path, rawId, wanted) => readGitChangeset(tools, path, rawId, wanted),
    changesets: (path, rawIds) => readGitChangesets(tools, path, rawIds),
    relations: (path, rawId, max) => readGitRelations(tools, path, rawId, max),
    log: (path, query) => readGitLog(tools, path, query),
    mergeBase: (path, pair) => readMergeBase(tools, path, pair),
    compare: (path, query) => compareGit(tools, path, query),
    async changesSince(path, base, rawId) {
      await requireComparableTrees(reader, path, base ?? undefined, rawId);
      return readChangesSince(git, path, base, rawId);
    },
    refs: (path) => readGitRefs(git, reader, path),
    refTimes: (path) => readGitRefTimes(git, path),
    describeRefs: (path, refs) => describeGitRefs(reader, path, refs),
    defaultBranch: readDefaultBranch,
    defaultRef: (path) => readDefaultRef(git, reader, path),
  };
}
