import { BusyError } from '@trunkline/contracts';
import { Semaphore } from '@trunkline/runtime/concurrency';

/** Bounds how many of a worker's database connections the transactions on one repository hold at once. */
export interface TransactionQuota {
  run<T>(repositoryId: number | null, act: () => Promise<T>): Promise<T>;
}

/** Calls beyond the quota are busy: they would only wait for each other's rows, on connections that other calls need. */
export function createTransactionQuota(max: number): TransactionQuota {
  const refuse = () => new BusyError();
  const transactions = new Semaphore({ limit: Infinity, quotaPerKey: max, refuse });
  return {
    run: (repositoryId, act) => transactions.run(act, { key: repositoryId === null ? null : String(repositoryId) }),
  };
}
