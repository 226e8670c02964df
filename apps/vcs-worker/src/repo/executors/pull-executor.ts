import { repositories } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import type { Executor } from '../../journal/claimed-operation.ts';
import { endOperation } from '../../journal/journal-store.ts';
import { parseRemote } from '../../vcs/remote/parse-remote.ts';
import { openCloneUri } from '../clone-uri.ts';
import { completeChange, loadRepository, nameIn, type ExecutorTools } from './executor-tools.ts';

/** Brings what is new from the remote. One that was cut off is not begun again: its client has long been told. */
export function pullExecutor(tools: ExecutorTools): Executor {
  const { db, worker, storage, backends, vault } = tools;
  return {
    restartable: false,
    failureText: (operation) => `Unable to pull changes from \`${nameIn(operation)}\``,
    async run(operation, signal) {
      const repository = await loadRepository(tools, operation);
      const cloneUri = openCloneUri(repository, vault);
      if (cloneUri === null) throw new Error('the repository has no remote location');
      const remote = parseRemote(repository.type, cloneUri, { sshEnabled: tools.sshEnabled });
      const backend = backends[repository.type];
      const path = storage.absolute(repository.storagePath);
      if (repository.needsRecovery) await backend.recover(path);
      await backend.pull(path, remote, signal);
      await completeChange(tools, operation, await backend.tip(path));
    },
    async undo(operation, error) {
      await db.transaction(async (tx) => {
        await endOperation(tx, operation, worker, { state: 'failed', error });
        await tx.update(repositories).set({ needsRecovery: true }).where(eq(repositories.id, operation.repositoryId));
      });
    },
  };
}
