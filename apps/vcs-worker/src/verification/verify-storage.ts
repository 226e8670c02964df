import { randomUUID } from 'node:crypto';
import type { Transaction } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { WriteTransactions } from '../admission/write-transactions.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import type { OperationEngine } from '../operations/operation-engine.ts';
import { verificationFailureText } from '../repo/failure-texts.ts';
import { lockNext, type Due, type VerificationRules } from './verification-store.ts';

export interface VerificationTools {
  readonly transactions: Pick<WriteTransactions, 'runWithoutCall'>;
  readonly worker: string;
  readonly engine: Pick<OperationEngine, 'begin' | 'run'>;
  readonly rules: VerificationRules;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Time after which a storage is looked through again for repositories that were not read for long. */
const lookAgainMs = 600_000;

/** Begins to read the next repository; returns null when it is time for none. */
async function beginNext(
  { engine, worker, rules }: VerificationTools,
  storageId: string,
  why: Due,
  tx: Transaction,
): Promise<ClaimedOperation | null> {
  const repository = await lockNext(tx, { storageId, worker }, why, rules);
  if (!repository) return null;
  const { id, name } = repository;
  return engine.begin(tx, {
    id: randomUUID(),
    kind: 'verify',
    repositoryId: id,
    exclusive: false,
    actorId: null,
    request: { name },
    busyText: verificationFailureText(name, null),
  });
}

/**
 * Returns a function that reads repositories of a storage that are to be read, one after the other. Which were read is
 * recorded for each, so that any worker goes on where another one has stopped.
 */
export function createStorageVerification(tools: VerificationTools) {
  const { transactions, engine, rules, logger } = tools;
  const turns = new SingleFlight<void>();
  const lookAt = new Map<string, number>();

  const begin = async (storageId: string) => {
    const requested = await transactions.runWithoutCall((tx) => beginNext(tools, storageId, 'requested', tx));
    if (requested || rules.days === 0 || performance.now() < (lookAt.get(storageId) ?? 0)) return requested;
    const old = await transactions.runWithoutCall((tx) => beginNext(tools, storageId, 'old', tx));
    // To find that there is none takes a look at each repository.
    if (!old) lookAt.set(storageId, performance.now() + lookAgainMs);
    return old;
  };

  const verifyDue = async (storageId: string, signal: AbortSignal) => {
    while (!signal.aborted) {
      const operation = await begin(storageId);
      if (!operation) return;
      await engine.run([operation]).catch((error: unknown) => {
        logger.warn({ err: error, operationId: operation.id }, 'repository could not be verified');
      });
    }
  };
  return (storageId: string, signal: AbortSignal) => turns.run(storageId, () => verifyDue(storageId, signal));
}
