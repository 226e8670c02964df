import { BusyError } from '@trunkline/contracts';
import { Tally } from './tally.ts';

/** Bounds how many of a worker's database connections the transactions on one repository hold at once. */
export interface TransactionShare {
  run<T>(repositoryId: number | null, act: () => Promise<T>): Promise<T>;
}

/** Beyond the bound calls are busy: they would only wait for each other's rows, on connections that others need. */
export function createTransactionShare(max: number): TransactionShare {
  const running = new Tally<number>();
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
