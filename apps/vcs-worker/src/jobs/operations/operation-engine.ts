import { setTimeout as wait } from 'node:timers/promises';
import { OperationFailedError, OutcomeUnknownError, RpcError } from '@trunkline/contracts';
import { databaseFailure, type Db, type Transaction } from '@trunkline/db';
import type { Logger, RunningOperations } from '@trunkline/runtime';
import { VcsError } from '../../vcs/vcs-error.ts';
import type { ClaimedOperation, OperationKind, OperationRunners } from './claimed-operation.ts';
import type { AuditedCall } from '../../domain/audit/audited-call.ts';
import { crashPoint } from '../../crash-points.ts';
import { insertCreation, type NewCreation } from './creation-store.ts';
import { type DeletionsOf, insertDeletions, type NewDeletion } from './deletion-begin-store.ts';
import { FencedError, insertClaimed, type NewOperation } from './operation-store.ts';
import { type Lease, type LeaseKeeper, LeaseLostError, OperationCancelledError } from './lease-keeper.ts';

/** Delay between retries while the database cannot be reached, in milliseconds. */
const databaseAwayMs = 250;

/**
 * Returns whether a run failed because the database was lost. The errors of tools and of other workers do not count,
 * although their causes may have the same code.
 */
export function hasLostDatabase(error: unknown): boolean {
  return databaseFailure(error) !== undefined && !(error instanceof VcsError) && !(error instanceof RpcError);
}

/**
 * Begins another attempt as soon as the database answers; returns null when `msMax` is over or the signal fires before.
 * Throws OutcomeUnknownError when the operation has ended or belongs to another worker.
 */
export async function beginAnew(
  operation: ClaimedOperation,
  begin: (operation: ClaimedOperation) => Promise<ClaimedOperation>,
  { msMax, signal }: { readonly msMax: number; readonly signal: AbortSignal },
): Promise<ClaimedOperation | null> {
  const until = performance.now() + msMax;
  while (!signal.aborted && performance.now() < until) {
    try {
      return await begin(operation);
    } catch (error) {
      if (!hasLostDatabase(error)) throw OutcomeUnknownError.of(operation.id, error);
    }
    await wait(databaseAwayMs, undefined, { signal }).catch(() => {});
  }
  return null;
}

export interface OperationEngineOptions {
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly leases: LeaseKeeper;
  readonly runners: OperationRunners;
  /** Begins another attempt at an operation; throws FencedError when this worker no longer holds its lease. */
  readonly beginAnew: (operation: ClaimedOperation) => Promise<ClaimedOperation>;
  /** Takes the bytes from earlier attempts, which may still run in a suspended worker. */
  readonly fenceAttempts: (operation: ClaimedOperation) => Promise<void>;
  readonly logger: Logger;
  /** Counts a failed operation. */
  readonly countFailure: (kind: OperationKind, error: unknown) => void;
  /** Counts an operation that has succeeded, with the time of its attempt in seconds. */
  readonly countDone: (kind: OperationKind, seconds: number) => void;
  /** Publishes that the operation may have ended, for calls that wait for the operation or for its repository. */
  readonly announceEnd: (operation: ClaimedOperation) => void;
  /** Gets the attempts that run. */
  readonly running?: RunningOperations;
}

export interface OperationEngine {
  /** Records an operation, claimed by this worker, in the caller's transaction. */
  begin(db: Db, operation: NewOperation): Promise<ClaimedOperation>;
  /** Begins the creation of a repository and records the call, in the caller's transaction. */
  beginCreation(
    tx: Transaction,
    creation: NewCreation,
    recordedAs: { readonly entry: AuditedCall; readonly actor: string },
  ): Promise<ClaimedOperation>;
  /** Records the deletions of a family, in the caller's transaction; returns those that this worker holds. */
  beginDeletions(
    tx: Transaction,
    deletions: readonly NewDeletion[],
    of: Pick<DeletionsOf, 'actorId' | 'busyText'>,
  ): Promise<ClaimedOperation[]>;
  /**
   * Runs begun operations to their end, one after the other. When one fails, those after it are undone. Throws the
   * client's error.
   */
  runOperations(operations: readonly ClaimedOperation[], signal?: AbortSignal): Promise<void>;
  /** Runs or undoes an operation that another worker left. */
  takeOver(operation: ClaimedOperation): Promise<void>;
  /** Resolves when no operation runs. */
  idle(): Promise<void>;
}

const attemptsMax = 3;

/** Returns whether an error means that another attempt holds the operation. */
function isFenced(error: unknown): boolean {
  return error instanceof FencedError || error instanceof LeaseLostError;
}

function leaseLost({ signal }: Lease): boolean {
  return signal.aborted && isFenced(signal.reason);
}

export function createOperationEngine(options: OperationEngineOptions): OperationEngine {
  const { runners, leases, logger, announceEnd } = options;

  /**
   * Undoes an operation and returns the client's text. Throws OutcomeUnknownError when that fails: the worker that
   * takes the operation over then decides.
   */
  const undo = async (operation: ClaimedOperation, error: unknown): Promise<string> => {
    const runner = runners[operation.kind];
    const text = runner.failureText(operation, error);
    const about = { operationId: operation.id, kind: operation.kind };
    logger.warn({ ...about, err: error }, 'operation failed');
    options.countFailure(operation.kind, error);
    crashPoint('undo.begun');
    try {
      await runner.undo(operation, runner.recordedText?.(operation, error) ?? text);
    } catch (cause) {
      if (!isFenced(cause)) logger.error({ ...about, err: cause }, 'operation could not be undone');
      throw OutcomeUnknownError.of(operation.id, cause);
    }
    return text;
  };

  /** Holds the lease of an attempt, and takes the bytes from earlier attempts. */
  const holdFenced = async (operation: ClaimedOperation): Promise<Lease> => {
    const lease = leases.hold(operation);
    try {
      await options.fenceAttempts(operation);
      return lease;
    } catch (error) {
      // Nothing was tried, so the lease is released: the next worker to take over may have the storage mounted.
      lease.release();
      throw error;
    }
  };

  const mayBeginAnew = ({ kind, attempt, handovers }: ClaimedOperation, error: unknown): boolean =>
    runners[kind].restartable && attempt - handovers < attemptsMax && hasLostDatabase(error);

  const attempt = async (operation: ClaimedOperation, lease: Lease, outer?: AbortSignal): Promise<void> => {
    const signal = outer ? AbortSignal.any([lease.signal, outer]) : lease.signal;
    const endRunning = options.running?.begin({ id: operation.id, kind: operation.kind });
    const began = performance.now();
    try {
      if (lease.signal.aborted) throw lease.signal.reason;
      if (operation.cancelRequestedAt) throw new OperationCancelledError(`operation ${operation.id}`);
      await runners[operation.kind].runAttempt(operation, signal, lease.report);
      options.countDone(operation.kind, (performance.now() - began) / 1_000);
    } catch (error) {
      if (isFenced(error) || leaseLost(lease)) throw OutcomeUnknownError.of(operation.id, error);
      if (mayBeginAnew(operation, error)) {
        logger.warn(
          { operationId: operation.id, err: error },
          'the database connection was lost: the operation is restarted',
        );
        const next = await beginAnew(operation, options.beginAnew, { msMax: options.leaseSeconds * 1_000, signal });
        if (next) return await attemptAnew(next, outer);
        if (leaseLost(lease)) throw OutcomeUnknownError.of(operation.id, error);
      }
      throw new OperationFailedError(await undo(operation, error), { cause: error });
    } finally {
      endRunning?.();
      lease.release();
      announceEnd(operation);
    }
  };

  const attemptAnew = async (operation: ClaimedOperation, outer?: AbortSignal): Promise<void> => {
    const lease = await holdFenced(operation).catch((error: unknown) => {
      throw OutcomeUnknownError.of(operation.id, error);
    });
    await attempt(operation, lease, outer);
  };

  const giveUp = async (operation: ClaimedOperation, lease: Lease, why: Error): Promise<void> => {
    try {
      // An operation whose lease was lost is finished by another worker.
      if (!leaseLost(lease)) await undo(operation, why);
    } finally {
      lease.release();
      announceEnd(operation);
    }
  };

  const runAll = async (operations: readonly ClaimedOperation[], signal?: AbortSignal) => {
    // All leases are held from the start, also while an operation waits for the one before.
    const waiting = operations.map((operation) => ({ operation, lease: leases.hold(operation) }));
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        await attempt(next.operation, next.lease, signal);
        if (waiting.length > 0) crashPoint('family.next');
      } catch (error) {
        const why = new Error(`the preceding operation ${next.operation.id} did not succeed`);
        await Promise.allSettled(waiting.map(({ operation, lease }) => giveUp(operation, lease, why)));
        throw error;
      }
    }
  };

  const takeOver = async (operation: ClaimedOperation) => {
    crashPoint('takeover.claimed');
    const lease = await holdFenced(operation);
    crashPoint('takeover.cleared');
    const { restartable } = runners[operation.kind];
    const failures = operation.attempt - 1 - operation.handovers;
    if (operation.cancelRequestedAt) {
      await giveUp(operation, lease, new OperationCancelledError(`operation ${operation.id}`));
    } else if (restartable && failures < attemptsMax) await attempt(operation, lease);
    else await giveUp(operation, lease, new Error(`its worker stopped during attempt ${operation.attempt - 1}`));
  };

  const running = new Set<Promise<void>>();
  const tracked = (work: Promise<void>): Promise<void> => {
    const ended = work.catch(() => {}).finally(() => running.delete(ended));
    running.add(ended);
    return work;
  };

  return {
    begin: (runner, operation) => insertClaimed(runner, operation, options.worker, options.leaseSeconds),
    beginCreation: (tx, creation, recordedAs) =>
      insertCreation(tx, creation, { worker: options.worker, leaseSeconds: options.leaseSeconds }, recordedAs),
    beginDeletions: (tx, deletions, of) =>
      insertDeletions(tx, deletions, { ...of, worker: options.worker, leaseSeconds: options.leaseSeconds }),
    runOperations: (operations, signal) => tracked(runAll(operations, signal)),
    takeOver: (operation) => tracked(takeOver(operation)),
    async idle() {
      await Promise.all(running);
    },
  };
}
