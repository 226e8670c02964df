import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSyncedTree } from '../../storage/write-synced-tree.ts';
import { forkEnvironment } from '../process/child-environment.ts';
import { dieWithParentCommand, type LimitsByWork } from '../process/command-limits.ts';
import { runCommand } from '../process/run-command.ts';
import type { RuntimeFiles } from '../process/runtime-files.ts';
import { VcsError } from '../vcs-error.ts';
import { ownConfiguration } from './git-configuration.ts';

/**
 * Makes an empty repository of what git needs to take a directory for one, and the directory of its packs, whose entry
 * is on disk before the first push; git makes every other directory when it first writes there.
 */
export async function makeEmptyGit(path: string, repositoryUuid: string): Promise<void> {
  await writeSyncedTree(path, {
    directories: ['objects', 'objects/pack', 'refs'],
    files: [
      { path: 'HEAD', content: 'ref: refs/heads/master\n' },
      { path: 'config', content: ownConfiguration(repositoryUuid) },
    ],
  });
}

/** Clones `source` to `path` with every ref. The copy's objects are hard links to those of the source. */
export async function forkGit(
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
  const command = dieWithParentCommand([...options.gitCommand, ...args], options.limits.fork);
  const bounds = { timeoutMs: options.timeoutMs, stdoutBytesMax: 1 << 20, signal };
  const { exitCode, stderr } = await runCommand(command, { env: forkEnvironment(options.files), ...bounds });
  if (exitCode !== 0) throw new VcsError('failed', `git clone ended with ${exitCode}: ${stderr}`);
  // That of `git clone` would reveal the path of the source.
  await writeFile(join(path, 'config'), ownConfiguration(repositoryUuid));
}
