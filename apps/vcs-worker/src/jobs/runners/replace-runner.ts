import { ConflictError } from '@trunkline/contracts';
import { repositories } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import { noteChange } from '../storage-jobs/maintenance-store.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { replacementFailureText } from '../../domain/repo/failure-texts.ts';
import { findArriving, switchToArrived } from '../../domain/repo/repository-copy-store.ts';
import { toStoredChangeset } from '../../domain/repo/tip-store.ts';
import { measureSize } from '../../storage/measure-size.ts';
import { recordedAdoptionText } from './adopt-runner.ts';
import { finishOperation, indexHistory, loadRepository, nameIn, type RunnerTools } from './runner-tools.ts';

function failureText(operation: ClaimedOperation, error: unknown): string {
  const text = replacementFailureText(nameIn(operation));
  return error instanceof ConflictError ? `${text}: ${error.message}` : text;
}

/**
 * Returns the runner that makes a tree the repository which an import has copied beside it. The former tree stays for
 * reads that have begun; a sweep removes it, or the new one if that is refused.
 */
export function replaceRunner(tools: RunnerTools): OperationRunner {
  const { db, storages, backends } = tools;
  return {
    restartable: true,
    failureText,
    recordedText: (operation, error) => recordedAdoptionText(failureText(operation, error), error),
    async run(operation, signal) {
      const to = await findArriving(db, operation.id);
      if (!to) throw new Error(`operation ${operation.id} has no copy`);
      const from = await loadRepository(tools, operation);
      const { type, uuid } = from;
      const backend = backends[type];
      const storage = storages.of(operation);
      const path = await storage.plainPath(to.storagePath);
      await backend.inspect(path);
      await backend.replaceConfiguration(path, uuid);
      crashPoint('replace.configuration-replaced');
      const lastChangeset = toStoredChangeset(await backend.tip(path));
      if (await backend.hasMoreThan(storage.absolute(from.storagePath), path)) {
        throw new ConflictError('it has changesets that the imported one lacks');
      }
      crashPoint('replace.compared');
      await indexHistory(tools, operation, { type, path }, signal);
      const [sizeBytes, defaultBranch] = await Promise.all([measureSize(path), backend.defaultBranch(path)]);
      await finishOperation(tools, operation, { state: 'done' }, async (tx) => {
        await switchToArrived(tx, { operationId: operation.id, from, to, sizeBytes });
        // A former writer may have left locks.
        const known = { lastChangeset, defaultBranch, needsRecovery: true };
        await tx.update(repositories).set(known).where(eq(repositories.id, from.id));
        await noteChange(tx, from.id);
      });
    },
    undo: (operation, error) => finishOperation(tools, operation, { state: 'failed', error }, async () => {}),
  };
}
