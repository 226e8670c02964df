import { databaseTime } from '@trunkline/db';
import type { OperationRunner } from '../operations/claimed-operation.ts';
import { crashPoint } from '../crash-points.ts';
import { removeRepository, unmarkDeleting } from '../repo/deletion-store.ts';
import { finishOperation, loadRepository, nameIn, withMoveLock, type RunnerTools } from './runner-tools.ts';

/**
 * Returns the runner that renames the repository to the trash, then removes its rows: the name becomes free only after
 * the bytes are gone.
 */
export function deleteRunner(tools: RunnerTools): OperationRunner {
  const { storages, db } = tools;
  return {
    restartable: true,
    failureText: (operation) => `failed to delete repository \`${nameIn(operation)}\``,
    async run(operation) {
      const { storagePath } = await loadRepository(tools, operation);
      const storage = storages.of(operation);
      const now = await databaseTime(db);
      await withMoveLock(tools, operation, async () => {
        crashPoint('delete.fenced');
        // An earlier attempt may have ended after the rename.
        if (!(await storage.exists(storagePath))) return;
        // A repository is removed as obsolete only while its directory is missing.
        if (operation.request['obsolete'] === true) throw new Error(`${storagePath} exists again`);
        await storage.trash(storagePath, operation.id, now);
      });
      crashPoint('delete.moved');
      await finishOperation(tools, operation, { state: 'done' }, (tx) => removeRepository(tx, operation.repositoryId));
    },
    async undo(operation, error) {
      const { storagePath } = await loadRepository(tools, operation);
      const storage = storages.of(operation);
      // On a storage that became read-only nothing was moved, and nothing can be locked.
      if (await storage.isInTrash(operation.id)) {
        await withMoveLock(tools, operation, () => storage.restore(storagePath, operation.id));
      }
      crashPoint('undo-delete.restored');
      await finishOperation(tools, operation, { state: 'failed', error }, (tx) =>
        unmarkDeleting(tx, operation.repositoryId),
      );
    },
  };
}
