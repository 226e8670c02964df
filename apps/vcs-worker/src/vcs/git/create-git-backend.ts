import fs from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import isomorphicGit from 'isomorphic-git';
import type { VcsBackend } from '../backend.ts';
import { orderNodes } from '../node-order.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { toolVersion } from '../process/tool-version.ts';
import { normalizeRoot } from '../root-path.ts';
import { VcsError } from '../vcs-error.ts';
import { fork } from './fork.ts';
import { defuseGit, inspectGit } from './adopt-git.ts';
import { createGitContent } from './create-git-content.ts';
import { createGitCommands } from './git-commands.ts';
import { createObjectReader } from './object-reader.ts';
import { parseCommit } from './parse-commit.ts';
import { parseTree } from './parse-tree.ts';
import { createRemoteOperations, type RemoteOptions } from './remote-operations.ts';
import { readGitLog } from './read-log.ts';
import { readGitRefs } from './read-refs.ts';
import { commitFromNewest, countCommits, resolveGitRevision } from './resolve-revision.ts';

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

async function removeStaleLocks(path: string): Promise<void> {
  const objects = join(path, 'objects');
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    // No reference ends in `.lock`, but one may well be called `tmp_x`.
    const stale =
      entry.name.endsWith('.lock') || (entry.parentPath.startsWith(objects) && entry.name.startsWith('tmp_'));
    if (entry.isFile() && stale) await rm(join(entry.parentPath, entry.name), { force: true });
  }
}

/** Git: isomorphic-git makes repositories, native git does everything that grows with their size. */
export function createGitBackend(options: GitBackendOptions): {
  backend: VcsBackend;
  close(): void;
} {
  const env = childEnvironment();
  const timeoutMs = options.commandTimeoutMs;
  const { gitCommand, limits } = options;
  const git = createGitCommands({ gitCommand, env, timeoutMs, stdoutBytesMax: treeBytesMax, limits: limits.read });
  const reader = createObjectReader(git, { env, timeoutMs, limits: limits.serve });

  const backend: VcsBackend = {
    type: 'git',
    command: options.gitCommand,
    version: toolVersion([...options.gitCommand, '--version'], { env, timeoutMs }),
    init: initRepository,
    async fork(source, path, repositoryUuid, signal, report) {
      // Git does not tell how far it is.
      report?.({ phase: 'linking files', done: 0, total: null, unit: 'files' });
      await fork(options, { source, path, repositoryUuid }, signal);
    },
    ...createRemoteOperations(git, options, initRepository),
    ...createGitContent(git, reader, options),
    recover: removeStaleLocks,
    inspect: inspectGit,
    defuse: defuseGit,
    async tip(path) {
      const [rawId, count] = await Promise.all([commitFromNewest(git, path, 0), countCommits(git, path)]);
      if (rawId === null) return null;
      const object = await reader.read(path, rawId);
      if (!object) throw new VcsError('failed', `commit ${rawId} cannot be read`);
      return parseCommit(object, count - 1);
    },
    resolveRevision: (path, revision) => resolveGitRevision(git, reader, path, revision),
    async nodes(path, rawId, root) {
      const directory = normalizeRoot(root);
      const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', '--end-of-options', `${rawId}:${directory}`];
      const { exitCode, stdout, stderr } = await git.tryRead(path, args);
      if (exitCode !== 0) throw new VcsError('unknown-path', `git ls-tree ended with ${exitCode}: ${stderr}`);
      return orderNodes(directory, parseTree(stdout));
    },
    async changeset(path, rawId, { withFiles }) {
      const [entry] = await readGitLog(git, reader, path, { from: rawId, to: rawId, withFiles });
      if (!entry) throw new VcsError('unknown-revision', 'no such commit');
      return entry;
    },
    log: (path, query) => readGitLog(git, reader, path, query),
    refs: (path) => readGitRefs(git, reader, path),
  };
  return { backend, close: () => reader.close() };
}
