import { resolve } from 'node:path';
import type { VcsBackend } from './backend.ts';
import type { EgressGuard } from './egress/egress-guard.ts';
import { systemTrust } from './egress/system-trust.ts';
import { createGitBackend } from './git/create-git-backend.ts';
import { createHgBackend } from './hg/create-hg-backend.ts';
import { limitsByWork } from './process/command-limits.ts';
import { writeRuntimeFiles } from './process/runtime-files.ts';

export interface VcsOptions {
  readonly gitCommand: readonly string[];
  readonly hgCommand: readonly string[];
  readonly bzip2Command: readonly string[];
  /** A private directory for the files that children read and run. */
  readonly runtimeDir: string;
  readonly egress: EgressGuard;
  readonly sshDir: string | null;
  /** The client, when it is not the system's. */
  readonly sshProgram?: string;
  readonly fetchTimeoutMs: number;
  /** For asking a remote what it has. */
  readonly checkTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly hgServers: number;
  readonly importBytesMax: number;
  /** Of address space, for each child. */
  readonly memoryBytesMax?: number;
}

export interface Vcs {
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
  close(): Promise<void>;
}

const defaultMemoryBytes = 4 * 1024 * 1024 * 1024;

export async function createVcs(options: VcsOptions): Promise<Vcs> {
  const { egress, commandTimeoutMs } = options;
  const limits = limitsByWork({ ...options, memoryBytes: options.memoryBytesMax ?? defaultMemoryBytes });
  const files = await writeRuntimeFiles(options.runtimeDir, options.sshProgram);
  const transfer = {
    files,
    egress,
    // Children are at home elsewhere.
    sshDir: options.sshDir === null ? null : resolve(options.sshDir),
    timeoutMs: options.fetchTimeoutMs,
    bytesMax: options.importBytesMax,
    limits,
    commandTimeoutMs,
    checkTimeoutMs: Math.min(options.checkTimeoutMs, options.fetchTimeoutMs),
  };
  const { gitCommand, bzip2Command } = options;
  const git = createGitBackend({ ...transfer, trust: systemTrust(), gitCommand, bzip2Command });
  const hg = createHgBackend({ ...transfer, hgCommand: options.hgCommand, servers: options.hgServers });
  return {
    backends: { git: git.backend, hg: hg.backend },
    async close() {
      git.close();
      hg.close();
    },
  };
}
