import { randomUUID } from 'node:crypto';
import type { Transaction } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { WriteTransactions } from '../../serve/admission/write-transactions.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import type { OperationEngine } from '../operations/operation-engine.ts';
import { maintenanceFailureText } from '../../domain/repo/failure-texts.ts';
import { lockNext, type MaintenanceRules } from './maintenance-store.ts';

export interface MaintenanceTools {
  readonly transactions: Pick<WriteTransactions, 'runWithoutCall'>;
  readonly worker: string;
  readonly engine: Pick<OperationEngine, 'begin' | 'runOperations'>;
  readonly rules: MaintenanceRules;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Begins the maintenance of the next repository; returns null when it is time for none. */
async function beginNext(
  { engine, worker, rules }: MaintenanceTools,
  storageId: string,
  tx: Transaction,
): Promise<ClaimedOperation | null> {
  const repository = await lockNext(tx, { storageId, worker }, rules);
  if (!repository) return null;
  const { id, name, searches } = repository;
  return engine.begin(tx, {
    id: randomUUID(),
    kind: 'maintain',
    repositoryId: id,
    exclusive: false,
    actorId: null,
    request: { name, unreachable: searches ? 'aged' : 'kept' },
    busyText: maintenanceFailureText(name),
  });
}

/** Time after which another storage of the worker has its turn. */
const turnMsMax = 60_000;

/** Returns a function that maintains repositories of a storage that it is time for, one at a time in the whole worker. */
export function createStorageMaintenance(tools: MaintenanceTools) {
  const { transactions, engine, logger } = tools;
  const turns = new SingleFlight<void>();
  const maintainDue = async (storageId: string, signal: AbortSignal) => {
    const until = performance.now() + turnMsMax;
    while (!signal.aborted && performance.now() < until) {
      const operation = await transactions.runWithoutCall((tx) => beginNext(tools, storageId, tx));
      if (!operation) return;
      await engine.runOperations([operation]).catch((error: unknown) => {
        logger.warn({ err: error, operationId: operation.id }, 'repository could not be maintained');
      });
    }
  };
  // A storage whose sweep meets the turn of another one waits for its next sweep.
  return (storageId: string, signal: AbortSignal) => turns.run('turn', () => maintainDue(storageId, signal));
}
