import { repositories, type Transaction } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { hasTouched, recordTouched, requireHeld } from '../operations/operation-store.ts';
import { diskText, pushFailureText } from '../../domain/repo/failure-texts.ts';
import { toStoredChangeset } from '../../domain/repo/recorded-state.ts';
import { readChanges } from '../../vcs-http/push/changes-file.ts';
import { predictState, readPrediction, type PredictedState } from '../../vcs-http/push/predicted-state.ts';
import type { ReceivePack } from '../../vcs/git/protocol/receive-pack.ts';
import { WriteLockedError } from '../../vcs/process/acquire-write-lock.ts';
import { scopeOfHolder } from '../../vcs/process/call-scope.ts';
import { PushRefusedError, PushUnsettledError, type PushSteps, type ReceivedPush } from '../../vcs/push.ts';
import { VcsError, type VcsErrorKind } from '../../vcs/vcs-error.ts';
import { recordInterruption } from './pull-runner.ts';
import { repairRepository } from './repair-repository.ts';
import {
  completeChange,
  finishOperation,
  indexHistory,
  loadRepository,
  nameIn,
  withWriteLock,
  type RunnerTools,
} from './runner-tools.ts';

export interface PushTools extends RunnerTools {
  readonly pushSteps: Readonly<Record<'hg' | 'git', PushSteps>>;
  readonly receivePack: Pick<ReceivePack, 'check' | 'predict'>;
}

type Repository = Awaited<ReturnType<typeof loadRepository>>;

/** Said while a worker that is suspended, and has lost its operation, keeps the lock on the repository. */
const stillWrittenText = 'another worker still writes to it, push again later';
/** Failures of a read that another attempt may not have. */
const passing: readonly VcsErrorKind[] = ['busy', 'timeout', 'cancelled'];

/** Returns what the client is told of a failure; undefined where the text of the operation is all. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof PushRefusedError) return error.message;
  return error instanceof WriteLockedError ? stillWrittenText : diskText(error);
}

/** Returns the predicted size, unless the files were packed since: then the repository is measured. */
function sizeOf({ sizeBytes, recordedBytes }: PredictedState, repository: Repository) {
  return recordedBytes === repository.sizeBytes ? { sizeBytes } : {};
}

const neverAborted = new AbortController().signal;

/** What the steps ask of the operation. */
interface Holding {
  /** Null for a push that has to be compared and read while it has the repository. */
  readonly predicted: PredictedState | null;
  recordTouched(): Promise<void>;
  requireHeld(): Promise<void>;
}

/** Makes a received push visible. Between the steps a worker may die: `settle` then decides. */
async function apply(steps: PushSteps, path: string, push: ReceivedPush, holding: Holding): Promise<void> {
  crashPoint('push.begun');
  if (!holding.predicted) await steps.prepare(path, push);
  await steps.moveObjects(path, push);
  crashPoint('push.moved');
  await holding.recordTouched();
  await steps.changeNames(path, push, holding.requireHeld);
  crashPoint('push.changed');
  await steps.finish(path, push);
  crashPoint('push.synced');
}

/** Gives the repository of an operation that may have touched bytes a new generation. */
async function renewTouched(tx: Transaction, operation: ClaimedOperation): Promise<void> {
  await tx
    .update(repositories)
    .set({ generation: sql`${repositories.generation} + 1` })
    .where(and(eq(repositories.id, operation.repositoryId), hasTouched(operation)));
}

/**
 * Returns the runner that makes a push visible that a worker has received. A worker that takes it over completes it when
 * some of it is visible, and ends it as failed otherwise: its client was told nothing and pushes again.
 */
export function pushRunner(tools: PushTools): OperationRunner {
  const directoryOf = (operation: ClaimedOperation) => tools.storages.of(operation).pushes.path(operation.id);
  const receivedBy = async (operation: ClaimedOperation): Promise<ReceivedPush> => {
    const directory = directoryOf(operation);
    return { directory, changes: await readChanges(directory, operation.request['changes']) };
  };
  const inTransaction = (act: (tx: Transaction) => Promise<void>) => tools.transactions.runWithoutCall(act);

  /**
   * Returns the tip that a push has made, and has the history indexed; it is not interrupted any more. A visible push has
   * to end, so that a tip that cannot be read leaves the former one, and the repository in need of a repair.
   */
  const complete = async (
    operation: ClaimedOperation,
    { type, lastChangeset }: Repository,
    path: string,
    predicted: PredictedState | null = null,
  ) => {
    if (predicted?.needsIndex !== false) await indexHistory(tools, operation, { type, path }, neverAborted);
    if (predicted) return { tip: predicted.tip, needsRecovery: false };
    try {
      return { tip: toStoredChangeset(await tools.backends[type].tip(path)), needsRecovery: false };
    } catch (error) {
      if (!(error instanceof VcsError) || passing.includes(error.kind)) throw error;
      tools.logger.warn({ err: error, operationId: operation.id }, 'the tip of a push could not be read');
      return { tip: lastChangeset, needsRecovery: true };
    }
  };

  /** Checks a push of git again when objects were removed since it was checked: it may build upon one of them. */
  const checkAgain = async (operation: ClaimedOperation, repository: Repository, received: ReceivedPush) => {
    const { removedAtGeneration, type, storagePath } = repository;
    if (type !== 'git' || removedAtGeneration === null) return;
    if (removedAtGeneration < Number(operation.request['checkedAt'] ?? 0)) return;
    const path = tools.storages.of(operation).absolute(storagePath);
    await tools.receivePack.check(path, received, scopeOfHolder);
  };

  /** Returns what a push makes of its repository, which is looked at anew when others have changed it since. */
  const predictedOf = async (operation: ClaimedOperation, repository: Repository, received: ReceivedPush) => {
    const { needsRecovery, generation, type, storagePath } = repository;
    // A repair has changed the repository.
    if (needsRecovery) return null;
    const noted = await readPrediction(received.directory, generation);
    // The default branch, which must not be deleted, may be another one by now.
    if (noted || type !== 'git' || received.changes.some(({ to }) => to === null)) return noted;
    const path = tools.storages.of(operation).absolute(storagePath);
    return predictState(tools.receivePack, path, received, { recorded: repository, scope: scopeOfHolder });
  };

  /** Completes a push of which some is visible, or returns false. */
  const settle = async (operation: ClaimedOperation, repository: Repository): Promise<boolean> => {
    const [row] = await tools.db.execute(sql`select ${hasTouched(operation)} as touched`);
    // From then on no other operation has changed the names, so that those with new ids are this push's.
    if (row?.['touched'] !== true) return false;
    const received = await receivedBy(operation);
    const steps = tools.pushSteps[repository.type];
    const settled = await withWriteLock(tools, operation, repository, async (path) => {
      if (!(await steps.settle(path, received))) return null;
      await steps.finish(path, received);
      return complete(operation, repository, path);
    });
    if (settled) await completeChange(tools, operation, repository, settled.tip, settled);
    return settled !== null;
  };

  return {
    restartable: true,
    failureText: (operation, error) => {
      const text = pushFailureText(nameIn(operation));
      const reason = reasonOf(error);
      return reason === undefined ? text : `${text}: ${reason}`;
    },
    async runAttempt(operation) {
      const repository = await loadRepository(tools, operation);
      if (operation.attempt > 1) {
        if (await settle(operation, repository)) return;
        throw new PushRefusedError('it was interrupted, push again');
      }
      if (repository.needsRecovery) await repairRepository(tools, operation, repository);
      const received = await receivedBy(operation);
      await checkAgain(operation, repository, received);
      const predicted = await predictedOf(operation, repository, received);
      const holding = {
        predicted,
        recordTouched: () => inTransaction((tx) => recordTouched(tx, operation, tools.worker)),
        requireHeld: async () => {
          crashPoint('push.closing');
          await inTransaction((tx) => requireHeld(tx, operation, tools.worker));
        },
      };
      const { tip, needsRecovery } = await withWriteLock(tools, operation, repository, async (path) => {
        await apply(tools.pushSteps[repository.type], path, received, holding);
        return complete(operation, repository, path, predicted);
      });
      const size = predicted?.needsIndex === false ? sizeOf(predicted, repository) : {};
      await completeChange(tools, operation, repository, tip, { ...size, needsRecovery });
    },
    async undo(operation, error) {
      const repository = await loadRepository(tools, operation);
      const settled = await settle(operation, repository).catch((cause: unknown) => {
        if (cause instanceof PushUnsettledError) return null;
        throw cause;
      });
      if (settled === true) return;
      await finishOperation(tools, operation, { state: 'failed', error }, async (tx) => {
        // The next write repairs what no worker can complete.
        if (settled === null) await recordInterruption(tx, operation);
        // Reads that have seen it while it was undone belong to no generation.
        else await renewTouched(tx, operation);
      });
    },
  };
}
