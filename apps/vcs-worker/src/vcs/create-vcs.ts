import { join, resolve } from 'node:path';
import type { VcsBackend } from './backend.ts';
import type { GenerationCache } from '../cache/generation-cache.ts';
import type { EgressGuard } from './egress/egress-guard.ts';
import { systemTrust } from './egress/request-through.ts';
import { createGitBackend } from './git/create-git-backend.ts';
import { createReceivePack, type ReceivePack } from './git/protocol/receive-pack.ts';
import { createUploadPack, type UploadPack } from './git/protocol/upload-pack.ts';
import { createHgBackend } from './hg/create-hg-backend.ts';
import { createHgPushSteps } from './hg/protocol/hg-push-steps.ts';
import { createHgProtocol, type HgProtocol, type HgProtocolOptions } from './hg/protocol/hg-protocol.ts';
import type { MaintenanceSteps } from './maintenance.ts';
import { limitsByWork, type LimitsByWork } from './process/command-limits.ts';
import { setCommandNice } from './process/lower-priority.ts';
import { memoryBudget } from './process/memory-budget.ts';
import { writeRuntimeFiles, type RuntimeFiles } from './process/runtime-files.ts';
import { setCurrentSpawner, Spawner } from './process/spawner/spawner.ts';
import type { PushSteps } from './push.ts';
import { createRenderRst, type RenderRst } from './render-rst.ts';

export interface VcsOptions {
  readonly gitCommand: readonly string[];
  readonly hgCommand: readonly string[];
  readonly bzip2Command: readonly string[];
  /** A private directory for the files that children read and run. */
  readonly runtimeDir: string;
  readonly egress: EgressGuard;
  /** Caches the histories of repositories. */
  readonly cache: GenerationCache;
  /** Directory of `id_ed25519` and `known_hosts`; null when ssh remotes are refused. */
  readonly sshDir: string | null;
  /** The ssh client; the system's `ssh` when absent. */
  readonly sshProgram?: string;
  readonly fetchTimeoutMs: number;
  /** Timeout for asking a remote which heads or refs it has, in milliseconds. */
  readonly checkTimeoutMs: number;
  readonly commandTimeoutMs: number;
  /** Number of kept Mercurial command servers. */
  readonly hgServers: number;
  /** Limit of the bytes that one import or pull may receive. */
  readonly importBytesMax: number;
  /** Limit of the bytes of one push. */
  readonly pushBytesMax: number;
  /** Limit of each child's address space, in bytes. */
  readonly memoryBytesMax?: number;
  /** Budget of the memory of all children together, in bytes; unlimited when absent. */
  readonly childMemoryBytesMax?: number;
  /** Nice value of commands that have used much processor time; theirs stays as it is when absent. */
  readonly commandNice?: number;
  /** Called when the process that starts commands has died; another one follows. */
  readonly onSpawnerLost?: (reason: string) => void;
  /** Called for what goes wrong with answers to Mercurial clients, beside the errors of single requests. */
  readonly onHgProtocolFailure?: (error: unknown, what: string) => void;
}

export interface ChildFigures {
  readonly usedBytes: number;
  readonly bytesMax: number;
  readonly running: number;
  readonly started: number;
  /** Those that were stopped to take memory back. */
  readonly killed: number;
}

export interface Vcs {
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
  /** Clones and fetches of git clients. */
  readonly uploadPack: UploadPack;
  /** Clones, pulls and pushes of Mercurial clients. */
  readonly hgProtocol: HgProtocol;
  /** Pushes of git clients. */
  readonly receivePack: ReceivePack;
  /** The steps by which a received push becomes visible. */
  readonly pushSteps: Readonly<Record<'hg' | 'git', PushSteps>>;
  /** The steps that pack the files of a repository. */
  readonly maintenance: Readonly<Record<'hg' | 'git', MaintenanceSteps>>;
  readonly renderRst: RenderRst;
  /** Returns whether the memory of all children is above the budget, so that no child may start. */
  isShortOfMemory(): boolean;
  /** Returns the memory of all children, as measured last, its budget (Infinity for none), and their number. */
  children(): ChildFigures;
  close(): Promise<void>;
}

const defaultMemoryBytes = 4 * 1024 * 1024 * 1024;

function hgProtocolOptions(options: VcsOptions, limits: LimitsByWork, files: RuntimeFiles): HgProtocolOptions {
  const { onHgProtocolFailure = () => {} } = options;
  const { cpuSeconds, fileBytes } = limits.oneShot;
  // Stores may be larger than the bytes received, which may have been compressed as a whole.
  const pushedFileBytes = 4 * options.pushBytesMax + 256 * 1024 * 1024;
  return {
    hgCommand: options.hgCommand,
    extension: files.hgServe,
    socketDir: files.hgSockets,
    limits: { ...limits.keptProcess, fileBytes: Math.max(fileBytes, pushedFileBytes) },
    startMsMax: options.commandTimeoutMs,
    readLimits: { cpuSeconds, fileBytes },
    pushLimits: { cpuSeconds, fileBytes: pushedFileBytes, timeoutMs: options.fetchTimeoutMs },
    onStartFailure: (error) => onHgProtocolFailure(error, 'Mercurial cannot serve clients'),
    onUnreadable: (error) => onHgProtocolFailure(error, 'a repository could not be sent to a Mercurial client'),
  };
}

export async function createVcs(options: VcsOptions): Promise<Vcs> {
  const { egress, commandTimeoutMs } = options;
  memoryBudget.setLimit(options.childMemoryBytesMax ?? Infinity);
  setCommandNice(options.commandNice ?? 0);
  const limits = limitsByWork({ ...options, memoryBytes: options.memoryBytesMax ?? defaultMemoryBytes });
  const files = await writeRuntimeFiles(options.runtimeDir, options.sshProgram);
  const spawner = new Spawner(join(options.runtimeDir, 'spawner'), options.onSpawnerLost);
  await spawner.start();
  setCurrentSpawner(spawner);
  const commonOptions = {
    files,
    egress,
    // The path has to be absolute, since children run in the working directory `/`.
    sshDir: options.sshDir === null ? null : resolve(options.sshDir),
    timeoutMs: options.fetchTimeoutMs,
    bytesMax: options.importBytesMax,
    limits,
    commandTimeoutMs,
    checkTimeoutMs: Math.min(options.checkTimeoutMs, options.fetchTimeoutMs),
  };
  const { gitCommand, bzip2Command } = options;
  const git = createGitBackend({
    ...commonOptions,
    cache: options.cache,
    trust: systemTrust,
    gitCommand,
    bzip2Command,
  });
  const hgProtocol = createHgProtocol(hgProtocolOptions(options, limits, files));
  const hg = createHgBackend({
    ...commonOptions,
    hgCommand: options.hgCommand,
    runs: hgProtocol,
    servers: options.hgServers,
  });
  return {
    backends: { git: git.backend, hg: hg.backend },
    uploadPack: createUploadPack({ gitCommand, limits: limits.oneShot }),
    hgProtocol,
    receivePack: createReceivePack({
      gitCommand,
      limits,
      timeoutMs: options.fetchTimeoutMs,
      bytesMax: options.pushBytesMax,
    }),
    pushSteps: { git: git.pushSteps, hg: createHgPushSteps(hgProtocol, hg.backend) },
    maintenance: { git: git.maintenance, hg: hg.maintenance },
    renderRst: createRenderRst({ hgCommand: options.hgCommand, extension: files.hgRst, limits: limits.oneShot }),
    isShortOfMemory: () => memoryBudget.isExceeded,
    children: () => ({ ...memoryBudget.counts, usedBytes: memoryBudget.usedBytes, bytesMax: memoryBudget.bytesMax }),
    async close() {
      git.close();
      hg.close();
      await hgProtocol.close();
      setCurrentSpawner(undefined);
      spawner.close();
    },
  };
}
