import { ConflictError } from '@trunkline/contracts';
import { repositories } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { adoptionFailureText, replacementFailureText } from '../../domain/repo/failure-texts.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { crashPoint } from '../../crash-points.ts';
import { makeDurable } from '../../storage/durable.ts';
import { toStoredChangeset } from '../../domain/repo/recorded-state.ts';
import { undoCreation } from './creation-runner.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import {
  completeChange,
  finishOperation,
  indexHistory,
  loadRepository,
  nameIn,
  rollbackCreation,
  type RunnerTools,
} from './runner-tools.ts';
import { recordFileChange } from '../storage-jobs/maintenance-job.ts';
import { findArriving, switchToArrived } from '../../domain/repo/repository-copy-store.ts';
import { measureSize } from '../../storage/measure-size.ts';

/** Returns the text of an adoption that failed, with the reason where it lies in the repository. */
export function recordedAdoptionText(text: string, error: unknown): string {
  return error instanceof VcsError && error.kind === 'not-adoptable' ? `${text}: ${error.message}` : text;
}

/** Paths below which the service itself puts repositories; an import has copied one there before it is adopted. */
const ownPaths = '@repos/';

/**
 * Returns the runner that adopts a repository at the path where an operator placed it, whose bytes stay in any case, or
 * to which an import has copied it.
 */
export function adoptRunner(tools: RunnerTools): OperationRunner {
  const { storages, backends } = tools;
  return {
    restartable: true,
    failureText: (operation) => adoptionFailureText(nameIn(operation)),
    recordedText: (operation, error) => recordedAdoptionText(adoptionFailureText(nameIn(operation)), error),
    async runAttempt(operation, signal) {
      const repository = await loadRepository(tools, operation);
      const { storagePath, type, uuid } = repository;
      const backend = backends[type];
      const path = await storages.of(operation).plainPath(storagePath);
      await backend.inspect(path);
      crashPoint('adopt.inspected');
      await backend.replaceConfiguration(path, uuid);
      crashPoint('adopt.configuration-replaced');
      // A former writer may have left locks, so the repository is marked for recovery below.
      const tip = toStoredChangeset(await backend.tip(path));
      crashPoint('adopt.tip-read');
      await indexHistory(tools, operation, { type, path }, signal);
      // It may have been put there moments ago.
      await makeDurable(path);
      await completeChange(tools, operation, repository, tip, { needsRecovery: true });
    },
    async undo(operation, error) {
      const { storagePath } = await loadRepository(tools, operation);
      const undo = storagePath.startsWith(ownPaths) ? undoCreation : rollbackCreation;
      await undo(tools, operation, error);
    },
  };
}

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
    async runAttempt(operation, signal) {
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
        await recordFileChange(tx, from.id);
      });
    },
    undo: (operation, error) => finishOperation(tools, operation, { state: 'failed', error }, async () => {}),
  };
}
