import { ConflictError } from '@trunkline/contracts';
import { repositories, type Transaction } from '@trunkline/db';
import { eq, sql } from 'drizzle-orm';
import { ignoreReadOnly } from '../../storage/storage-errors.ts';
import { crashPoint } from '../../crash-points.ts';
import { attachForks, forgetRestored, releaseDeleted, trashTimeOf } from '../deleted/restore-store.ts';
import { recordFileChange } from '../storage-jobs/maintenance-job.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { restoreFailureText } from '../../domain/repo/failure-texts.ts';
import {
  createdGroupIds,
  finishOperation,
  loadRepository,
  nameIn,
  removeCreated,
  withMoveLock,
  type RunnerTools,
} from './runner-tools.ts';

/** Returns the id of the deletion by which the bytes are found in the trash. */
function deletionIn({ request }: Pick<ClaimedOperation, 'request'>): string {
  return String(request['deletion']);
}

async function showRestored(tx: Transaction, operation: ClaimedOperation): Promise<void> {
  const [row] = await tx
    .update(repositories)
    .set({ state: 'ready' })
    .where(eq(repositories.id, operation.repositoryId))
    .returning({ hasChangesets: sql<boolean>`${repositories.lastChangeset} is not null` });
  // The deletion has removed the row by which the repository is maintained.
  if (row?.hasChangesets) await recordFileChange(tx, operation.repositoryId);
  // A fork that was restored meanwhile is not attached to a source that is hidden.
  await attachForks(tx, operation.repositoryId);
  await forgetRestored(tx, operation);
}

/**
 * Returns the runner that renames a deleted repository from the trash to a new path, and shows it again. The rows of the
 * repository are there, hidden, since the operation began.
 */
export function restoreRunner(tools: RunnerTools): OperationRunner {
  const { storages, db } = tools;

  const moveFromTrash = async (operation: ClaimedOperation) => {
    const { storagePath } = await loadRepository(tools, operation);
    const storage = storages.of(operation);
    await withMoveLock(tools, operation, async () => {
      crashPoint('restore.fenced');
      // An earlier attempt may have ended after the rename.
      if (await storage.isPublished(storagePath)) return storage.syncMoved(storagePath);
      if (await storage.restore(storagePath, deletionIn(operation))) return;
      throw new ConflictError('its files are no longer in the trash');
    });
  };

  /** Moves the bytes back to the trash if they have left it; returns whether there are any. */
  const moveToTrash = async (operation: ClaimedOperation): Promise<boolean> => {
    const { storagePath } = await loadRepository(tools, operation);
    const storage = storages.of(operation);
    const deletion = deletionIn(operation);
    const trashedAt = await trashTimeOf(db, operation);
    // On a storage that became read-only nothing was moved, and nothing can be locked.
    if (trashedAt && (await storage.exists(storagePath))) {
      await withMoveLock(tools, operation, () => storage.trash(storagePath, deletion, trashedAt.getTime()));
    }
    await storage.syncMoved(storagePath).catch(ignoreReadOnly);
    return (await storage.trashedAt(deletion)) !== null;
  };

  return {
    restartable: true,
    failureText: (operation, error) =>
      restoreFailureText(nameIn(operation), error instanceof ConflictError ? error.message : null),
    async runAttempt(operation) {
      await moveFromTrash(operation);
      crashPoint('restore.moved');
      await finishOperation(tools, operation, { state: 'done' }, (tx) => showRestored(tx, operation));
    },
    async undo(operation, error) {
      const isThere = await moveToTrash(operation);
      crashPoint('undo-restore.trashed');
      const revert = async (tx: Transaction) => {
        await removeCreated(tx, operation);
        await (isThere ? releaseDeleted(tx, operation) : forgetRestored(tx, operation));
      };
      await finishOperation(tools, operation, { state: 'failed', error }, revert, createdGroupIds(operation));
    },
  };
}
