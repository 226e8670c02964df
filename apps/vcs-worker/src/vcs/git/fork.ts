import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forkEnvironment } from '../process/child-environment.ts';
import type { LimitsByWork } from '../process/command-limits.ts';
import { fencedCommand } from '../process/fenced-command.ts';
import { runCommand } from '../process/run-command.ts';
import type { RuntimeFiles } from '../process/runtime-files.ts';
import { VcsError } from '../vcs-error.ts';

/** In place of what a clone writes there: the source's path is nobody's business. */
function ownConfig(repositoryUuid: string): string {
  return `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[trunkline]\n\tuuid = ${repositoryUuid}\n`;
}

/** A copy with every reference, its objects hard links to those of the source. */
export async function fork(
  options: {
    readonly gitCommand: readonly string[];
    readonly files: RuntimeFiles;
    readonly timeoutMs: number;
    readonly limits: LimitsByWork;
  },
  { source, path, repositoryUuid }: { source: string; path: string; repositoryUuid: string },
  signal: AbortSignal,
): Promise<void> {
  const args = ['clone', '--quiet', '--mirror', '--local', '--template=', '--', source, path];
  const command = fencedCommand([...options.gitCommand, ...args], options.limits.fork);
  const bounds = { timeoutMs: options.timeoutMs, stdoutBytesMax: 1 << 20, signal };
  const { exitCode, stderr } = await runCommand(command, { env: forkEnvironment(options.files), ...bounds });
  if (exitCode !== 0) throw new VcsError('failed', `git clone ended with ${exitCode}: ${stderr}`);
  await writeFile(join(path, 'config'), ownConfig(repositoryUuid));
}
