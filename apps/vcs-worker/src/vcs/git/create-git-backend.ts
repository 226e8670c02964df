import fs from 'node:fs';
import isomorphicGit from 'isomorphic-git';
import type { VcsBackend } from '../backend.ts';
import { orderNodes } from '../node-order.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { acquireWriteLock } from '../process/acquire-write-lock.ts';
import { toolVersion } from '../process/tool-version.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import { forkGit } from './fork-git.ts';
import { inspectGit, replaceGitConfiguration } from './adopt-git.ts';
import { createCommitGraphs } from './commit-graph.ts';
import { createGraphWalk, createPlainWalk } from './commit-walk.ts';
import { createGitContent } from './create-git-content.ts';
import { createGitCommands } from './git-commands.ts';
import { createObjectReader } from './object-reader.ts';
import { parseCommit } from './parse-commit.ts';
import { parseTree } from './parse-tree.ts';
import { createRemoteOperations, type RemoteOptions } from './remote-operations.ts';
import { readGitLog } from './read-log.ts';
import { readGitRefs } from './read-refs.ts';
import { removeStale } from './remove-stale.ts';
import { commitFromNewest, countCommits, resolveGitRevision } from './resolve-revision.ts';
import { classifyMissingObject } from './classify-missing-object.ts';

export interface GitBackendOptions extends RemoteOptions {
  readonly gitCommand: readonly string[];
  readonly bzip2Command: readonly string[];
  readonly commandTimeoutMs: number;
}

const treeBytesMax = 256 * 1024 * 1024;

async function initRepository(path: string, repositoryUuid: string): Promise<void> {
  await isomorphicGit.init({ fs, gitdir: path, bare: true, defaultBranch: 'master' });
  await isomorphicGit.setConfig({ fs, gitdir: path, path: 'trunkline.uuid', value: repositoryUuid });
}

/** Creates the git back end: isomorphic-git makes repositories, native git does all work that grows with their size. */
export function createGitBackend(options: GitBackendOptions): {
  backend: VcsBackend;
  close(): void;
} {
  const env = childEnvironment();
  const timeoutMs = options.commandTimeoutMs;
  const { gitCommand, limits } = options;
  const git = createGitCommands({ gitCommand, env, timeoutMs, stdoutBytesMax: treeBytesMax, limits: limits.oneShot });
  const reader = createObjectReader(git, { env, timeoutMs, limits: limits.keptProcess });
  const graphs = createCommitGraphs(git, { env, timeoutMs: options.timeoutMs, limits: limits.oneShot });
  const plainWalk = createPlainWalk(git);
  const history = { git, reader, walk: createGraphWalk(git, graphs) };

  const backend: VcsBackend = {
    type: 'git',
    command: options.gitCommand,
    version: toolVersion([...options.gitCommand, '--version'], { env, timeoutMs }),
    init: initRepository,
    async fork(source, path, repositoryUuid, signal, report) {
      // Git reports no progress of a local clone, so this is the only report.
      report?.({ phase: 'linking files', done: 0, total: null, unit: 'files' });
      await forkGit(options, { source, path, repositoryUuid }, signal);
    },
    ...createRemoteOperations(git, options, initRepository),
    ...createGitContent(git, reader, options),
    acquireWriteLock,
    recover: removeStale,
    indexHistory: (path, signal) => graphs.write(path, signal),
    inspect: inspectGit,
    replaceConfiguration: replaceGitConfiguration,
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
  return { backend, close: () => reader.close() };
}
