import { repositories } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { crashPoint } from '../crash-points.ts';
import type { OperationRunner } from '../operations/claimed-operation.ts';
import { parseRemote } from '../vcs/remote/parse-remote.ts';
import { openCloneUri } from '../repo/clone-uri.ts';
import { requireRecordedTip } from '../repo/require-recorded-tip.ts';
import { toStoredChangeset } from '../repo/tip-store.ts';
import {
  completeChange,
  finishOperation,
  loadRepository,
  nameIn,
  withWriteLock,
  type RunnerTools,
} from './runner-tools.ts';

/** Brings what is new from the remote. One that was cut off is not begun again: its client has long been told. */
export function pullRunner(tools: RunnerTools): OperationRunner {
  const { backends, vault } = tools;
  return {
    restartable: false,
    failureText: (operation) => `Unable to pull changes from \`${nameIn(operation)}\``,
    async run(operation, signal, report) {
      const repository = await loadRepository(tools, operation);
      const cloneUri = openCloneUri(repository, vault);
      if (cloneUri === null) throw new Error('the repository has no remote location');
      const remote = parseRemote(repository.type, cloneUri, { sshEnabled: tools.sshEnabled });
      const backend = backends[repository.type];
      const tip = await withWriteLock(tools, operation, repository, async (path) => {
        // What locks there are now, a dead process has left.
        await backend.recover(path);
        crashPoint('pull.repaired');
        await requireRecordedTip(backend, path, repository.lastChangeset?.rawId ?? null);
        await backend.pull(path, remote, signal, { report });
        crashPoint('pull.fetched');
        return toStoredChangeset(await backend.tip(path));
      });
      crashPoint('pull.tip-read');
      await completeChange(tools, operation, tip);
    },
    async undo(operation, error) {
      await finishOperation(tools, operation, { state: 'failed', error }, (tx) =>
        // Some of it may have arrived.
        tx
          .update(repositories)
          .set({ needsRecovery: true, generation: sql`${repositories.generation} + 1` })
          .where(eq(repositories.id, operation.repositoryId)),
      );
    },
  };
}
