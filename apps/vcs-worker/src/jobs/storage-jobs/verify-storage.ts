import { randomUUID } from 'node:crypto';
import type { Transaction } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { WriteTransactions } from '../../serve/admission/write-transactions.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import type { OperationEngine } from '../operations/operation-engine.ts';
import { verificationFailureText } from '../../domain/repo/failure-texts.ts';
import { listOld, lockNext, type Due, type VerificationRules } from './verification-store.ts';

export interface VerificationTools {
  readonly transactions: Pick<WriteTransactions, 'runWithoutCall'>;
  readonly worker: string;
  readonly engine: Pick<OperationEngine, 'begin' | 'runOperations'>;
  readonly rules: VerificationRules;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Time after which a storage is looked through again for repositories that were not read for long. */
const lookAgainMs = 600_000;
/** Such repositories that one look through a storage finds: each look costs as much as the storage has repositories. */
const oldMax = 500;

/** Begins to read the next repository; returns null when it is time for none. */
async function beginNext(
  { engine, worker, rules }: VerificationTools,
  search: { readonly storageId: string; readonly why: Due; readonly among: readonly number[] | null },
  tx: Transaction,
): Promise<ClaimedOperation | null> {
  const repository = await lockNext(tx, { ...search, worker }, rules);
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
  const listed = new Map<string, readonly number[]>();

  /** Begins to read the next repository of those that were listed, if any of them is still to be read. */
  const beginListed = async (storageId: string) => {
    const among = listed.get(storageId) ?? [];
    if (among.length === 0) return null;
    return transactions.runWithoutCall((tx) => beginNext(tools, { storageId, why: 'old', among }, tx));
  };

  const begin = async (storageId: string) => {
    const search = { storageId, why: 'requested', among: null } as const;
    const requested = await transactions.runWithoutCall((tx) => beginNext(tools, search, tx));
    if (requested || rules.days === 0 || performance.now() < (lookAt.get(storageId) ?? 0)) return requested;
    const next = await beginListed(storageId);
    if (next) return next;
    listed.set(storageId, await transactions.runWithoutCall((tx) => listOld(tx, storageId, rules, oldMax)));
    const old = await beginListed(storageId);
    if (!old) lookAt.set(storageId, performance.now() + lookAgainMs);
    return old;
  };

  const verifyDue = async (storageId: string, signal: AbortSignal) => {
    while (!signal.aborted) {
      const operation = await begin(storageId);
      if (!operation) return;
      await engine.runOperations([operation]).catch((error: unknown) => {
        logger.warn({ err: error, operationId: operation.id }, 'repository could not be verified');
      });
    }
  };
  return (storageId: string, signal: AbortSignal) => turns.run(storageId, () => verifyDue(storageId, signal));
}
