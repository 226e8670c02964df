import { hasCode } from '../../has-code.ts';
import type { VcsBackend } from '../backend.ts';
import type { MaintenanceSteps } from '../maintenance.ts';
import { acquireWriteLock } from '../process/acquire-write-lock.ts';
import { scopeOfHolder, scopeOfOperation } from '../process/call-scope.ts';
import { childEnvironment, pushEnvironment } from '../process/child-environment.ts';
import { toolVersion } from '../process/tool-version.ts';
import type { PushSteps } from '../push.ts';
import { inspectGit, replaceGitConfiguration } from './adopt-git.ts';
import { createCommitGraphs } from './commit-graph.ts';
import { createGitReads, gitCommandsOf, type GitBackendOptions } from './create-git-reads.ts';
import { isHeadDangling, mendHead, setDefaultBranch } from './default-branch.ts';
import { gitHasMore } from './git-refs.ts';
import { cacheHistories } from './history.ts';
import { createGitMaintenance } from './maintenance/git-maintenance.ts';
import { forkGit, makeEmptyGit } from './new-repository.ts';
import { createObjectReader } from './object-reader.ts';
import { createGitPushSteps } from './protocol/git-push-steps.ts';
import { createRemoteOperations } from './remote-operations.ts';
import { isTransientInGit, removeStale } from './unfinished-files.ts';
import { verifyGit } from './verify-git.ts';

/** Creates the git back end: empty repositories are written, native git does all work that grows with their size. */
export function createGitBackend(options: GitBackendOptions): {
  backend: VcsBackend;
  pushSteps: PushSteps;
  maintenance: MaintenanceSteps;
  close(): void;
} {
  const env = childEnvironment();
  const timeoutMs = options.commandTimeoutMs;
  const { limits } = options;
  const git = gitCommandsOf(options, scopeOfOperation);
  // Each reference that a push or a pull changes is synced.
  const slow = { ...options, commandTimeoutMs: options.timeoutMs };
  const writing = gitCommandsOf(slow, scopeOfHolder, pushEnvironment());
  const reader = createObjectReader(git, { env, timeoutMs, limits: limits.keptProcess });
  const graphs = createCommitGraphs(git, { env, timeoutMs: options.timeoutMs, limits: limits.oneShot });

  const backend: VcsBackend = {
    type: 'git',
    command: options.gitCommand,
    version: toolVersion([...options.gitCommand, '--version'], { env, timeoutMs }),
    init: makeEmptyGit,
    async fork(source, path, repositoryUuid, signal, report) {
      // Git reports no progress of a local clone, so this is the only report.
      report?.({ phase: 'linking files', done: 0, total: null, unit: 'files' });
      await forkGit(options, { source, path, repositoryUuid }, signal);
      await mendHead(git, path);
    },
    ...createGitReads(options, { reader, graphs, histories: cacheHistories(options.cache) }, scopeOfHolder),
    ...createRemoteOperations({ git, writing }, options, makeEmptyGit),
    acquireWriteLock,
    isHeadDangling,
    setDefaultBranch: (path, branch) => setDefaultBranch(git, path, branch),
    // Its recovery starts no process.
    waitForMemory: async () => {},
    recover: removeStale,
    indexHistory: (path, signal) => graphs.write(path, signal),
    verify: (path, signal) => verifyGit(git, { env, timeoutMs: options.timeoutMs, limits: limits.fork }, path, signal),
    hasMoreThan: (path, other) => gitHasMore(git, path, other),
    isTransient: isTransientInGit,
    inspect: inspectGit,
    async replaceConfiguration(path, repositoryUuid) {
      await replaceGitConfiguration(path, repositoryUuid);
      await mendHead(git, path).catch((error: unknown) => {
        // A former writer has left a lock: the first maintenance removes it, and mends HEAD.
        if (!hasCode(error, 'EEXIST')) throw error;
      });
    },
  };
  const { gitCommand } = options;
  return {
    backend,
    pushSteps: createGitPushSteps(writing),
    maintenance: createGitMaintenance({
      gitCommand,
      limits: limits.maintenance,
      timeoutMs: options.timeoutMs,
      graphs,
    }),
    close: () => reader.close(),
  };
}
