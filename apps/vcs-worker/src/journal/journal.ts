import { OperationFailedError, OutcomeUnknownError } from '@trunkline/contracts';
import type { Database, Executor as DbExecutor } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { ClaimedOperation, Executors } from './claimed-operation.ts';
import { FencedError, insertClaimed, type NewOperation } from './journal-store.ts';
import { LeaseLostError, type LeaseKeeper } from './lease-keeper.ts';

export interface JournalOptions {
  readonly db: Database;
  readonly worker: string;
  readonly leaseSeconds: number;
  readonly leases: LeaseKeeper;
  readonly executors: Executors;
  readonly logger: Logger;
  /** Tells everybody who waits for a repository that one may be free. */
  readonly announceEnd: () => void;
}

export interface Journal {
  /** Records an operation as begun by this worker, in the caller's transaction. */
  begin(executor: DbExecutor, operation: NewOperation): Promise<ClaimedOperation>;
  /** Runs a begun operation to its end; throws what the client hears when it fails. */
  run(operation: ClaimedOperation, signal?: AbortSignal): Promise<void>;
  /** Runs, or undoes, an operation that another worker left. */
  takeOver(operation: ClaimedOperation): Promise<void>;
}

const attemptsMax = 3;

/** Whether the operation still belongs to somebody, only not to this attempt. */
function takenAway(error: unknown): boolean {
  return error instanceof FencedError || error instanceof LeaseLostError;
}

export function createJournal(options: JournalOptions): Journal {
  const { executors, leases, logger, announceEnd } = options;

  const undo = async (operation: ClaimedOperation, error: unknown): Promise<string> => {
    const executor = executors[operation.kind];
    const text = executor.failureText(operation, error);
    logger.warn({ err: error, operationId: operation.id, kind: operation.kind }, 'operation failed');
    await executor.undo(operation, text);
    return text;
  };

  const attempt = async (operation: ClaimedOperation, outer: AbortSignal | undefined): Promise<void> => {
    const lease = leases.hold(operation.id);
    const signal = outer ? AbortSignal.any([lease.signal, outer]) : lease.signal;
    try {
      try {
        await executors[operation.kind].run(operation, signal);
      } catch (error) {
        if (takenAway(error) || lease.signal.aborted) throw OutcomeUnknownError.of(operation.id, error);
        throw new OperationFailedError(await undo(operation, error), { cause: error });
      }
    } catch (error) {
      throw takenAway(error) ? OutcomeUnknownError.of(operation.id, error) : error;
    } finally {
      lease.release();
      announceEnd();
    }
  };

  return {
    begin: (executor, operation) => insertClaimed(executor, operation, options.worker, options.leaseSeconds),
    run: attempt,
    async takeOver(operation) {
      const executor = executors[operation.kind];
      if (executor.restartable && operation.attempt <= attemptsMax) {
        await attempt(operation, undefined);
        return;
      }
      const lease = leases.hold(operation.id);
      try {
        await undo(operation, new Error(`its worker ended in attempt ${operation.attempt - 1}`));
      } finally {
        lease.release();
        announceEnd();
      }
    },
  };
}
