import { randomUUID } from 'node:crypto';
import type { Transaction } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { Semaphore } from '@trunkline/runtime/concurrency';
import type { WriteTransactions } from '../../serve/admission/write-transactions.ts';
import { recordCall } from '../../domain/audit/audit-store.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import type { OperationEngine } from '../operations/operation-engine.ts';
import { beginMove } from '../../domain/repo/begin-arrival.ts';
import { chooseDrainTarget, findDrainer, lockNext } from './drain-store.ts';

export interface DrainTools {
  readonly transactions: Pick<WriteTransactions, 'runWithoutCall'>;
  readonly worker: string;
  readonly engine: Pick<OperationEngine, 'begin' | 'runOperations'>;
  /** Limit of the moves away from one storage that run at once. */
  readonly movesMax: number;
  /** Free bytes that a target keeps, as in the check of storages. */
  readonly freeBytesMin: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Begins the move of the next repository; returns null when there is none, or none that can be moved now. */
async function beginNext(tools: DrainTools, storageId: string, tx: Transaction): Promise<ClaimedOperation | null> {
  const { engine, worker, movesMax, freeBytesMin } = tools;
  const drainer = await findDrainer(tx, { storageId, worker, movesMax });
  const repository = drainer && (await lockNext(tx, storageId));
  const target = repository && (await chooseDrainTarget(tx, { storageId, repository, freeBytesMin }));
  if (!drainer || !repository || !target) return null;
  const id = randomUUID();
  let begun: ClaimedOperation | null = null;
  const begin: Parameters<typeof beginMove>[1] = async (operation) => {
    begun = await engine.begin(tx, { ...operation, actorId: drainer.id });
  };
  await beginMove(tx, begin, { id, repository, target });
  const args = { repoid: repository.name, storage: target.name };
  const entry = { requestId: id, userId: drainer.id, ip: '', method: 'move_repo', args, recorded: false };
  await recordCall(tx, entry, 'running', { username: drainer.username, repositoryId: repository.id });
  return begun;
}

/**
 * Moves repositories away from a storage that is draining, some at a time, until none is left that can be moved now.
 * Each move is an operation of the administrator who has set the state.
 */
export async function drainStorage(tools: DrainTools, storageId: string, signal: AbortSignal): Promise<void> {
  const { transactions, engine, movesMax, logger } = tools;
  const begins = new Semaphore({ limit: 1, queueMax: movesMax, refuse: (reason) => new Error(reason) });
  const begin = () => begins.run(() => transactions.runWithoutCall((tx) => beginNext(tools, storageId, tx)));
  const moveInTurn = async () => {
    while (!signal.aborted) {
      const operation = await begin();
      if (!operation) return;
      await engine.runOperations([operation]).catch((error: unknown) => {
        logger.warn({ err: error, operationId: operation.id }, 'repository could not be moved away');
      });
    }
  };
  await Promise.all(Array.from({ length: movesMax }, moveInTurn));
}
