import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { clockName } from '../../storage/durable.ts';
import type { MaintenanceSteps } from '../maintenance.ts';
import { writeLockName } from '../process/acquire-write-lock.ts';
import { scopeOfHolder } from '../process/call-scope.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';

const transient = new Set(['.hg/wlock', '.hg/store/lock', `.hg/${writeLockName}`, `.hg/${clockName}`]);
/** Files by which Mercurial finds out what a file system can do; some are symbolic links. */
const probes = /^\.hg\/w?cache\/check/;

/** Mercurial's locks are symbolic links that lead nowhere. */
export function isTransientInHg(path: string): boolean {
  return transient.has(path) || probes.test(path);
}

/** Removes Mercurial's locks, and rolls an interrupted transaction back. */
export async function recoverHg(hg: HgCommands, path: string): Promise<void> {
  for (const lock of ['.hg/store/lock', '.hg/wlock']) await rm(join(path, lock), { force: true });
  const interrupted = await stat(join(path, '.hg/store/journal')).catch(() => null);
  if (interrupted) await hg.run(path, ['recover'], scopeOfHolder);
}

const tidyMsMax = 1_000;

/** Creates the maintenance of Mercurial repositories, whose store needs none: caches are brought up to date. */
export function createHgMaintenance(hg: HgCommands): MaintenanceSteps {
  return {
    pack: async () => null,
    async tidy(path) {
      try {
        await hg.run(path, ['debugupdatecaches'], { signal: AbortSignal.timeout(tidyMsMax), memoryWaitMs: 0 });
      } catch (error) {
        if (!(error instanceof VcsError) || error.kind !== 'cancelled') throw error;
        // The killed process has left its locks. Reads bring the other caches up to date, as always.
        await recoverHg(hg, path);
      }
      return true;
    },
  };
}
