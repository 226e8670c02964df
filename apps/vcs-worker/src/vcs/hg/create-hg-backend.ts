import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { syncChanged, timeIn } from '../../storage/durable.ts';
import type { VcsBackend } from '../backend.ts';
import type { MaintenanceSteps } from '../maintenance.ts';
import { acquireWriteLock } from '../process/acquire-write-lock.ts';
import { scopeOfHolder, scopeOfOperation } from '../process/call-scope.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { dieWithParentCommand, idleCommand, type CommandLimits } from '../process/command-limits.ts';
import { memoryBudget } from '../process/memory-budget.ts';
import { toolVersion } from '../process/tool-version.ts';
import { progressReader, withoutProgress } from '../progress.ts';
import type { Remote } from '../remote/parse-remote.ts';
import { VcsError } from '../vcs-error.ts';
import { inspectHg, ownConfiguration, replaceHgConfiguration } from './adopt-hg.ts';
import { CommandServer } from './command-server.ts';
import { createHgReads } from './create-hg-reads.ts';
import { makeEmptyHg } from './empty-repository.ts';
import { hgArgv, onRepository } from './hg-argv.ts';
import { createHgCommands } from './hg-commands.ts';
import { createHgMaintenance, isTransientInHg, recoverHg } from './hg-maintenance.ts';
import { hgHasMore } from './hg-refs.ts';
import type { HgRuns } from './hg-stream.ts';
import { createRunAlone, type HgRemoteOptions, parseHgProgress, progressOptions, runWithRemote } from './own-server.ts';
import { createServerPool } from './server-pool.ts';
import { verifyHg } from './verify-hg.ts';

export interface HgBackendOptions extends Omit<HgRemoteOptions, 'serverArgv'> {
  readonly hgCommand: readonly string[];
  /** Starts the commands of which much is printed. */
  readonly runs: HgRuns;
  readonly servers: number;
  readonly commandTimeoutMs: number;
  readonly checkTimeoutMs: number;
}

const serve = ['serve', '--cmdserver', 'pipe'];
const identify = ({ url }: Remote) => ['identify', '--id', '--', url];

async function writeOwnConfig(path: string, repositoryUuid: string): Promise<void> {
  await writeFile(join(path, '.hg/hgrc'), ownConfiguration(repositoryUuid));
}

/** Creates the Mercurial back end: kept command servers run local commands, each fetch and fork has a new server. */
export function createHgBackend(options: HgBackendOptions): {
  backend: VcsBackend;
  maintenance: MaintenanceSteps;
  close(): void;
} {
  const { hgCommand, limits, commandTimeoutMs: timeoutMs } = options;
  const serverArgv = [...hgArgv(hgCommand), ...serve];
  const serverWith = (...extensions: readonly string[]) => {
    const loaded = extensions.map((file) => `--config=extensions.${basename(file, '.py')}=${file}`);
    return [...hgArgv(hgCommand), ...loaded, ...serve];
  };
  const keptArgv = serverWith(options.files.hgChanges, options.files.hgLastChanges, options.files.hgStored);
  const remoteOptions = { ...options, serverArgv: serverWith(options.files.hgEgress) };
  const env = childEnvironment();
  const start = (argv: readonly string[], own: CommandLimits) =>
    new CommandServer(dieWithParentCommand(argv, own), env);
  const startPooled = () => start(keptArgv, limits.keptProcess);
  const pool = createServerPool(options.servers, startPooled);
  const suspectPool = createServerPool(1, startPooled);
  const hg = createHgCommands({ regular: pool, suspect: suspectPool }, timeoutMs);

  const alone = { limits: limits.fork, timeoutMs: options.timeoutMs };
  const runAlone = createRunAlone({ argv: serverArgv, ...alone });
  const runIdle = createRunAlone({ argv: idleCommand(serverArgv), ...alone });

  const { hgDiffs: diffExtension, hgPaths: pathExtension, hgLastChanges: lastChangesExtension } = options.files;
  const backend: VcsBackend = {
    ...createHgReads(
      hg,
      {
        hgCommand,
        runs: options.runs,
        limits: limits.oneShot,
        timeoutMs,
        diffExtension,
        pathExtension,
        lastChangesExtension,
      },
      scopeOfHolder,
    ),
    type: 'hg',
    command: hgCommand,
    version: toolVersion([...hgCommand, 'version', '--template={ver}'], { env, timeoutMs }),
    init: makeEmptyHg(options.files.hgTemplate, async (path) => {
      const { exitCode, stderr } = await pool.run(['init', '--', path], { timeoutMs, stdoutBytesMax: 1 << 20 });
      if (exitCode !== 0) throw new VcsError('failed', `hg init ended with ${exitCode}: ${stderr}`);
    }),
    checkRemote: (remote, signal) =>
      runWithRemote({ ...remoteOptions, timeoutMs: options.checkTimeoutMs }, remote, signal, (run) =>
        run(identify(remote)),
      ),
    async importFrom(path, repositoryUuid, remote, signal, report) {
      const args = ['clone', '--noupdate', '--', remote.url, path];
      await runWithRemote({ ...remoteOptions, report }, remote, signal, (run) => run(args));
      // `hg clone` has written the remote's address into .hg/hgrc; Trunkline keeps it in the database alone.
      await writeOwnConfig(path, repositoryUuid);
    },
    async fork(source, path, repositoryUuid, signal, report) {
      const args = [...progressOptions, 'clone', '--noupdate', '--', source, path];
      const onStderr = report && progressReader(parseHgProgress, report);
      const { exitCode, stderr } = await runAlone(args, signal, onStderr);
      if (exitCode !== 0) throw new VcsError('failed', `hg clone ended with ${exitCode}: ${withoutProgress(stderr)}`);
      await writeOwnConfig(path, repositoryUuid);
    },
    verify: (path, signal) => verifyHg(runIdle, path, signal),
    hasMoreThan: (path, other) => hgHasMore(hg, path, other),
    isTransient: isTransientInHg,
    async pull(path, remote, signal, { report, beforeWriting } = {}) {
      await runWithRemote({ ...remoteOptions, report }, remote, signal, async (run) => {
        await run(identify(remote));
        await beforeWriting?.();
        const since = await timeIn(join(path, '.hg'));
        await run(onRepository(path, ['pull', '--', remote.url]));
        // Mercurial syncs nothing.
        await syncChanged(join(path, '.hg'), since);
      });
      return null;
    },
    acquireWriteLock: (path) => acquireWriteLock(join(path, '.hg')),
    isHeadDangling: async () => false,
    async setDefaultBranch() {
      throw new Error('Mercurial has no default branch to set');
    },
    waitForMemory: () => memoryBudget.waitForMemory(scopeOfOperation.memoryWaitMs),
    recover: (path) => recoverHg(hg, path),
    // Mercurial always has its own index of the history.
    async indexHistory() {},
    inspect: inspectHg,
    replaceConfiguration: replaceHgConfiguration,
  };
  const close = () => {
    pool.close();
    suspectPool.close();
  };
  return { backend, maintenance: createHgMaintenance(hg), close };
}
