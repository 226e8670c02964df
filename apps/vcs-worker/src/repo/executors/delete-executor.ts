import type { Executor } from '../../journal/claimed-operation.ts';
import { endOperation } from '../../journal/journal-store.ts';
import { removeRepository, unmarkDeleting } from '../deletion-store.ts';
import { loadRepository, nameIn, type ExecutorTools } from './executor-tools.ts';

/** Moves the bytes out of sight, then removes the rows: a name is free only when its bytes are gone. */
export function deleteExecutor(tools: ExecutorTools): Executor {
  const { db, worker, storage } = tools;
  return {
    restartable: true,
    failureText: (operation) => `failed to delete repository \`${nameIn(operation)}\``,
    async run(operation) {
      const { storagePath } = await loadRepository(tools, operation);
      // An earlier attempt may have ended between the move and its record.
      if (await storage.exists(storagePath)) await storage.trash(storagePath, operation.id);
      await db.transaction(async (tx) => {
        await endOperation(tx, operation, worker, { state: 'done' });
        await removeRepository(tx, operation.repositoryId);
      });
    },
    async undo(operation, error) {
      await db.transaction(async (tx) => {
        await endOperation(tx, operation, worker, { state: 'failed', error });
        await unmarkDeleting(tx, operation.repositoryId);
      });
    },
  };
}
