import { BusyError } from '@trunkline/contracts';
import { KeyedCounter } from './keyed-counter.ts';

/** Bounds how many of a worker's database connections the transactions on one repository hold at once. */
export interface TransactionQuota {
  run<T>(repositoryId: number | null, act: () => Promise<T>): Promise<T>;
}

/** Beyond the bound calls are busy: they would only wait for each other's rows, on connections that others need. */
export function createTransactionQuota(max: number): TransactionQuota {
  const running = new KeyedCounter<number>();
  return {
    async run(repositoryId, act) {
      if (repositoryId === null) return act();
      if (running.of(repositoryId) >= max) throw new BusyError({ details: { repositoryId } });
      running.add(repositoryId);
      try {
        return await act();
      } finally {
        running.remove(repositoryId);
      }
    },
  };
}
