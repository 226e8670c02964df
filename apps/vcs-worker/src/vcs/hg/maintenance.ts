import type { VcsBackend } from '../backend.ts';
import type { MaintenanceSteps } from '../maintenance.ts';
import { VcsError } from '../vcs-error.ts';
import type { HgCommands } from './hg-commands.ts';

const tidyMsMax = 1_000;

/** Creates the maintenance of Mercurial repositories, whose store needs none: caches are brought up to date. */
export function createHgMaintenance(hg: HgCommands, { recover }: Pick<VcsBackend, 'recover'>): MaintenanceSteps {
  return {
    pack: async () => null,
    async tidy(path) {
      try {
        await hg.run(path, ['debugupdatecaches'], { signal: AbortSignal.timeout(tidyMsMax), memoryWaitMs: 0 });
      } catch (error) {
        if (!(error instanceof VcsError) || error.kind !== 'cancelled') throw error;
        // The killed process has left its locks. What it did not reach is left to reads, as always.
        await recover(path);
      }
      return true;
    },
  };
}
