import { databaseTime } from '@trunkline/db';
import type { OperationRunner } from '../operations/claimed-operation.ts';
import { crashPoint } from '../crash-points.ts';
import type { Storage } from '../storage/storage.ts';
import { removeRepository, unmarkDeleting } from '../repo/deletion-store.ts';
import { finishOperation, loadRepository, nameIn, type RunnerTools } from './runner-tools.ts';

/**
 * Throws when the directory exists after all: a repository is removed as obsolete only while its directory is missing.
 */
async function requireMissing(storage: Storage, storagePath: string): Promise<void> {
  if (await storage.exists(storagePath)) throw new Error(`${storagePath} exists again`);
}

/**
 * Returns the runner that renames the repository to the trash, then removes its rows: the name becomes free only after
 * the bytes are gone.
 */
export function deleteRunner(tools: RunnerTools): OperationRunner {
  const { storage } = tools;
  return {
    restartable: true,
    failureText: (operation) => `failed to delete repository \`${nameIn(operation)}\``,
    async run(operation) {
      const { storagePath } = await loadRepository(tools, operation);
      await finishOperation(tools, operation, { state: 'done' }, async (tx) => {
        if (operation.request['obsolete'] === true) await requireMissing(storage, storagePath);
        crashPoint('delete.fenced');
        // Only the holder of the lease may move bytes. An earlier attempt may have ended after the rename.
        if (await storage.exists(storagePath)) {
          await storage.trash(storagePath, operation.id, await databaseTime(tx));
        }
        crashPoint('delete.moved');
        await removeRepository(tx, operation.repositoryId);
      });
    },
    async undo(operation, error) {
      const { storagePath } = await loadRepository(tools, operation);
      await finishOperation(tools, operation, { state: 'failed', error }, async (tx) => {
        await storage.restore(storagePath, operation.id);
        crashPoint('undo-delete.restored');
        await unmarkDeleting(tx, operation.repositoryId);
      });
    },
  };
}
