import { randomUUID } from 'node:crypto';
import { deletionFailureText } from '../../../domain/repo/failure-texts.ts';
import { markDeleting } from '../../../domain/repo/deletion-store.ts';
import { lockReady, type StoredAt } from '../../../domain/repo/storage-path-store.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { OperationContext } from '../../context.ts';
import { reasonOf, stopsRescan } from './stops-rescan.ts';

/** Removes a repository whose directory is missing; returns whether it was removed. */
export async function removeObsolete(
  { runOperation, logger }: OperationContext,
  storage: Storage,
  obsolete: StoredAt,
): Promise<boolean> {
  const { id, name, storagePath } = obsolete;
  try {
    // The undo of a deletion may have restored the directory; the operation checks that once more.
    if (await storage.exists(storagePath)) return false;
    return await runOperation(async ({ db: tx, begin }) => {
      if (!(await lockReady(tx, storage.id, obsolete))) return false;
      await begin({
        id: randomUUID(),
        kind: 'delete',
        repositoryId: id,
        request: { name, obsolete: true },
        busyText: deletionFailureText(name),
      });
      await markDeleting(tx, [id]);
      return true;
    });
  } catch (error) {
    if (stopsRescan(error)) throw error;
    logger.warn({ repository: name, reason: reasonOf(error) }, 'obsolete repository not removed');
    return false;
  }
}
