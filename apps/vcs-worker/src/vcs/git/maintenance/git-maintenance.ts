import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDurable } from '../../../storage/durable.ts';
import type { MaintenanceSteps, PackedFiles, Packing } from '../../maintenance.ts';
import { scopeOfHolder, scopeOfOperation } from '../../process/call-scope.ts';
import { maintenanceEnvironment, pushEnvironment } from '../../process/child-environment.ts';
import type { CommandLimits } from '../../process/command-limits.ts';
import { toolFailure } from '../../process/tool-failure.ts';
import { VcsError } from '../../vcs-error.ts';
import type { CommitGraphs } from '../commit-graph.ts';
import { mendHeadAsWriter } from '../default-branch.ts';
import { createGitCommands, type GitCommands } from '../git-commands.ts';
import { findsStale, removeStale } from '../unfinished-files.ts';
import { objectFiles } from './object-files.ts';
import { packedFiles } from './packed-files.ts';
import { removeLinks, stageRepository } from './staged-repository.ts';

export interface GitMaintenanceOptions {
  readonly gitCommand: readonly string[];
  readonly limits: CommandLimits;
  readonly timeoutMs: number;
  readonly graphs: CommitGraphs;
}

/** Time of `git pack-refs`, which packs what it can, and goes on next time. */
const tidyMsMax = 1_000;
/** Time in which a branch for HEAD is found among any number of branches. */
const mendMsMax = 10_000;

const ways = {
  kept: ['--geometric=2'],
  aged: ['--cruft', '--cruft-expiration=never'],
  removed: ['-a'],
} as const;
const indexed = ['--write-midx', '--write-bitmap-index'];

/** Packs a staged repository; without a bitmap where git cannot make one, as when there are no commits. */
async function repack(git: GitCommands, staged: string, unreachable: Packing['unreachable']): Promise<void> {
  const args = ['repack', '-d', '-q', '-n', ...ways[unreachable]];
  const { exitCode } = await git.tryRun(staged, [...args, ...indexed], { mayBeLong: true });
  if (exitCode !== 0) await git.run(staged, args, { mayBeLong: true });
}

/** Makes new files for a repository in a directory that is not there yet. */
async function pack(
  { graphs, ...options }: GitMaintenanceOptions,
  repository: string,
  packing: Packing,
  signal: AbortSignal,
): Promise<PackedFiles | null> {
  const common = { ...options, env: maintenanceEnvironment(), stdoutBytesMax: 1 << 28 };
  const git = createGitCommands({ ...common, scope: { ...scopeOfOperation, signal } });
  const holding = createGitCommands({ ...common, scope: { ...scopeOfHolder, signal } });
  const { staging, unreachable } = packing;
  const staged = await stageRepository(git, repository, packing);
  if (staged.files.packs.length + staged.files.loose.length === 0) return null;
  try {
    await repack(git, staged.path, unreachable);
  } catch (error) {
    const isCutOff = !(error instanceof VcsError) || error.kind !== 'failed';
    if (isCutOff || unreachable !== 'aged') throw error;
    await rm(staging, { recursive: true, force: true });
    // References lead to what was left out, or this git cannot tell the ages of objects.
    const gentler = staged.leftOut.length > 0 ? { keptMs: Infinity } : { unreachable: 'kept' as const };
    return pack({ graphs, ...options }, repository, { ...packing, ...gentler }, signal);
  }
  // No reference leads to the objects that git has left unpacked.
  if (unreachable === 'removed') await removeLinks(staged.path, (await objectFiles(staged.path)).loose);
  await graphs.write(staged.path, signal).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
  await makeDurable(staged.path);
  const removesObjects = unreachable === 'removed' || staged.leftOut.length > 0;
  return packedFiles({ git, holding, repository, staged, removesObjects, gone: join(staging, 'gone') });
}

/** Creates the maintenance of git repositories. */
export function createGitMaintenance(options: GitMaintenanceOptions): MaintenanceSteps {
  const within = (timeoutMs: number) =>
    createGitCommands({
      ...options,
      env: pushEnvironment(),
      timeoutMs,
      stdoutBytesMax: 1 << 24,
      scope: { memoryWaitMs: 0 },
    });
  const [brief, mending] = [within(tidyMsMax), within(mendMsMax)];
  return {
    pack: (repository, packing, signal) => pack(options, repository, packing, signal),
    async tidy(repository) {
      const packRefs = () => brief.tryRun(repository, ['pack-refs', '--all'], { mayBeLong: true });
      // Copies of earlier releases may have a HEAD that leads to no branch.
      await mendHeadAsWriter(mending, repository);
      try {
        let { exitCode, stderr } = await packRefs();
        if (exitCode !== 0 && findsStale(stderr)) {
          await removeStale(repository);
          ({ exitCode, stderr } = await packRefs());
        }
        if (exitCode !== 0) throw toolFailure(`git pack-refs ended with ${exitCode}`, stderr);
        return true;
      } catch (error) {
        if (!(error instanceof VcsError) || error.kind !== 'timeout') throw error;
        await removeStale(repository);
        return false;
      }
    },
  };
}
