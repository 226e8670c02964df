import { databaseTime } from '@trunkline/db';
import { keepDeleted } from '../deleted/trash-store.ts';
import { deletionFailureText } from '../../domain/repo/failure-texts.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { ignoreReadOnly } from '../../storage/storage-errors.ts';
import { crashPoint } from '../../crash-points.ts';
import { hasForks, removeRepository, unmarkDeleting } from '../../domain/repo/deletion-store.ts';
import { finishOperation, loadRepository, nameIn, withMoveLock, type RunnerTools } from './runner-tools.ts';

/**
 * Returns the runner that renames the repository to the trash, then removes its rows: the name becomes free only after
 * the bytes are gone. The transaction that removes the rows keeps a document that restores them.
 */
export function deleteRunner(tools: RunnerTools): OperationRunner {
  const { storages, db } = tools;

  /** Returns when the bytes came to the trash, by the database's clock; null when there were none. */
  const moveToTrash = async (operation: ClaimedOperation): Promise<number | null> => {
    const { storagePath } = await loadRepository(tools, operation);
    const storage = storages.of(operation);
    const now = await databaseTime(db);
    let trashedAt: number | null = null;
    await withMoveLock(tools, operation, async () => {
      crashPoint('delete.fenced');
      // An earlier attempt may have ended after the rename.
      if (!(await storage.exists(storagePath))) {
        trashedAt = await storage.trashedAt(operation.id);
        await storage.syncMoved(storagePath);
        return;
      }
      // A repository is removed as obsolete only while its directory is missing.
      if (operation.request['obsolete'] === true) throw new Error(`${storagePath} exists again`);
      await storage.trash(storagePath, operation.id, now);
      trashedAt = now;
    });
    return trashedAt;
  };

  const restoreFromTrash = async (operation: ClaimedOperation) => {
    const { storagePath } = await loadRepository(tools, operation);
    const storage = storages.of(operation);
    // On a storage that became read-only nothing was moved, and nothing can be locked.
    if ((await storage.trashedAt(operation.id)) === null) return storage.syncMoved(storagePath).catch(ignoreReadOnly);
    await withMoveLock(tools, operation, async () => {
      crashPoint('undo-delete.fenced');
      await storage.restore(storagePath, operation.id);
    });
  };

  return {
    restartable: true,
    failureText: (operation) => deletionFailureText(nameIn(operation)),
    async runAttempt(operation) {
      if (Object.hasOwn(operation.request, 'afterForks') && (await hasForks(db, operation.repositoryId))) {
        throw new Error('a fork was not deleted');
      }
      const trashedAt = operation.isLost ? null : await moveToTrash(operation);
      crashPoint('delete.moved');
      await finishOperation(tools, operation, { state: 'done' }, async (tx) => {
        if (trashedAt !== null) await keepDeleted(tx, operation, new Date(trashedAt));
        await removeRepository(tx, operation.repositoryId);
      });
    },
    async undo(operation, error) {
      if (!operation.isLost) await restoreFromTrash(operation);
      crashPoint('undo-delete.restored');
      await finishOperation(tools, operation, { state: 'failed', error }, (tx) =>
        unmarkDeleting(tx, operation.repositoryId),
      );
    },
  };
}
