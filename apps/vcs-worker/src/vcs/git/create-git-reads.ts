import type { VcsReads } from '../backend.ts';
import { orderNodes } from '../node-order.ts';
import { scopeOfRead, type CallScope } from '../process/call-scope.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import { classifyMissingObject } from './classify-missing-object.ts';
import type { CommitGraphs } from './commit-graph.ts';
import { createGraphWalk, createPlainWalk } from './commit-walk.ts';
import { createGitContent } from './create-git-content.ts';
import { createGitCommands } from './git-commands.ts';
import type { KeptObjectReader } from './object-reader.ts';
import { parseCommit } from './parse-commit.ts';
import { parseTree } from './parse-tree.ts';
import { readGitLog } from './read-log.ts';
import { readGitRefs } from './read-refs.ts';
import type { RemoteOptions } from './remote-operations.ts';
import { commitFromNewest, countCommits, resolveGitRevision } from './resolve-revision.ts';

export interface GitBackendOptions extends RemoteOptions {
  readonly gitCommand: readonly string[];
  readonly bzip2Command: readonly string[];
  readonly commandTimeoutMs: number;
}

interface KeptTools {
  readonly reader: KeptObjectReader;
  readonly graphs: CommitGraphs;
}

const treeBytesMax = 256 * 1024 * 1024;

export function gitCommandsOf({ gitCommand, commandTimeoutMs, limits }: GitBackendOptions, scope: CallScope) {
  const env = childEnvironment();
  const bounds = { timeoutMs: commandTimeoutMs, stdoutBytesMax: treeBytesMax, limits: limits.oneShot };
  return createGitCommands({ gitCommand, env, ...bounds, scope });
}

/** Creates the reads of one call, or of operations; kept processes are shared by all of them. */
export function createGitReads(options: GitBackendOptions, kept: KeptTools, scope: CallScope): VcsReads {
  const git = gitCommandsOf(options, scope);
  const reader = kept.reader.forCall(scope);
  const plainWalk = createPlainWalk(git);
  const history = { git, reader, walk: createGraphWalk(git, kept.graphs) };
  return {
    ...createGitContent(git, reader, { ...options, scope }),
    forCall: (signal) => createGitReads(options, kept, scopeOfRead(signal)),
    async tip(path) {
      const [rawId, count] = await Promise.all([commitFromNewest(plainWalk, path, 0), countCommits(plainWalk, path)]);
      if (rawId === null) return null;
      const object = await reader.read(path, rawId);
      if (!object) throw new VcsError('failed', `commit ${rawId} cannot be read`);
      return parseCommit(object, count - 1);
    },
    resolveRevision: (path, revision) => resolveGitRevision(history, path, revision),
    async nodes(path, rawId, root) {
      const directory = normalizeRoot(root);
      const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', '--end-of-options', `${rawId}:${directory}`];
      const { exitCode, stdout } = await git.tryRun(path, args);
      if (exitCode !== 0) throw await classifyMissingObject(git, path, rawId, directory, 'tree');
      return orderNodes(directory, parseTree(stdout));
    },
    async changeset(path, rawId, { withFiles }) {
      const [entry] = await readGitLog(history, path, { from: rawId, to: rawId, withFiles });
      if (!entry) throw new VcsError('unknown-revision', 'no such commit');
      return entry;
    },
    log: (path, query) => readGitLog(history, path, query),
    refs: (path) => readGitRefs(git, reader, path),
  };
}
