import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Bounds how many of a worker's database connections the transactions on one repository hold at once. */
export interface TransactionQuota {
  /** Runs work inside a transaction. Null, for a call that names no repository, counts towards no quota. */
  run<T>(repositoryId: number | null, act: () => Promise<T>): Promise<T>;
}

/**
 * Creates the quota. Transactions beyond it are refused with BusyError: they would only wait for row locks of the
 * others, on connections that other calls need.
 */
export function createTransactionQuota(max: number): TransactionQuota {
  const refuse = () => new BusyError();
  const transactions = new Semaphore({ limit: Infinity, quotaPerKey: max, refuse });
  return {
    run: (repositoryId, act) => transactions.run(act, { key: repositoryId === null ? null : String(repositoryId) }),
  };
}
