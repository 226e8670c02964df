import { ConflictError } from '@trunkline/contracts';
import { databaseTime } from '@trunkline/db';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { type AcquiredTools, withRepositoryAcquired, movingText, releaseRepository } from './acquire-repository.ts';
import { endOperation } from '../operations/operation-store.ts';
import { verificationFailureText } from '../../domain/repo/failure-texts.ts';
import { recordVerified, wasUndisturbed } from '../storage-jobs/verification-job.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { repairRepository } from './repair-repository.ts';
import { finishOperation, loadRepository, nameIn } from './runner-tools.ts';

type Repository = Awaited<ReturnType<typeof loadRepository>>;

/** How often one attempt reads a repository that seems to be damaged and was changed meanwhile. */
const readsMax = 3;

/**
 * Reads all of the repository; returns what is wrong with it, null for nothing. Throws when it could not be read, as without
 * memory, in time, or from a storage that is away: nothing is known then, and it is tried again another day.
 */
async function findDamage(
  { backends, storages }: AcquiredTools,
  { type, storageId, storagePath }: Repository,
  signal: AbortSignal,
): Promise<VcsError | null> {
  const storage = storages.of({ storageId });
  try {
    await backends[type].verify(storage.absolute(storagePath), signal);
    return null;
  } catch (error) {
    if (!(error instanceof VcsError && error.kind === 'damaged') || signal.aborted) throw error;
    if (!(await storage.isOurs())) throw new ConflictError('its storage is away');
    return error;
  }
}

/**
 * Reads the repository until it is whole, or damaged although nothing else has run on it: while files are exchanged or
 * removed, a tool may miss some.
 */
async function verify(tools: AcquiredTools, operation: ClaimedOperation, signal: AbortSignal) {
  for (let reads = 0; reads < readsMax; reads += 1) {
    const repository = await loadRepository(tools, operation);
    if (repository.epoch !== operation.epoch) throw new ConflictError(movingText);
    const began = new Date(await databaseTime(tools.db));
    const damage = await findDamage(tools, repository, signal);
    if (!damage || (await wasUndisturbed(tools.db, operation, repository, began))) return { began, damage };
  }
  throw new ConflictError('it was changed whenever it was read');
}

/**
 * Returns the runner that reads all of a repository, beside every other operation on it, and records whether it is whole.
 * It changes nothing, so that any worker can run it again.
 */
export function verifyRunner(tools: AcquiredTools): OperationRunner {
  const { transactions, worker, logger } = tools;
  return {
    restartable: true,
    failureText: (operation, error) =>
      verificationFailureText(nameIn(operation), error instanceof ConflictError ? error.message : null),
    async runAttempt(operation, signal, report) {
      // An earlier attempt may have died while it repaired the repository.
      if (operation.exclusive) await transactions.runWithoutCall((tx) => releaseRepository(tx, operation, worker));
      const repository = await loadRepository(tools, operation);
      const repair = () => repairRepository(tools, operation, repository);
      if (repository.needsRecovery) await withRepositoryAcquired(tools, operation, signal, repair);
      report({ phase: 'reading all', done: 0, total: null });
      const { began, damage } = await verify(tools, operation, signal);
      const { repositoryId } = operation;
      if (damage) logger.warn({ err: damage, repositoryId, type: repository.type }, 'repository is damaged');
      await finishOperation(tools, operation, { state: 'done' }, (tx) =>
        recordVerified(tx, repositoryId, { began, isDamaged: damage !== null }),
      );
    },
    async undo(operation, error) {
      await transactions.runWithoutCall((tx) => endOperation(tx, operation, worker, { state: 'failed', error }));
    },
  };
}
