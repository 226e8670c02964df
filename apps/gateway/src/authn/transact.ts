import { BusyError, UnavailableError } from '@trunkline/contracts';
import type { Database, Transaction } from '@trunkline/db';
import { Semaphore, withTimeout } from '@trunkline/runtime/concurrency';
import { throwAsRpcError } from '../throw-as-rpc-error.ts';

/** Runs a transaction that may wait for the rows of a user; throws BusyError or UnavailableError when it takes too long. */
export type Transact = <T>(userId: number, act: (tx: Transaction) => Promise<T>) => Promise<T>;

const msMax = 5_000;
const queueMax = 1_000;
const queueMaxPerUser = 64;

function throwTimeout(): never {
  throw new UnavailableError();
}

/**
 * Transactions of one user run one after the other, and all together leave a connection of the pool free: so held rows
 * of some users keep no other query waiting. They are transactions, even of one statement, because the driver sends
 * nothing else on the connection of a transaction meanwhile.
 */
export function createTransact(db: Database, connectionsMax: number): Transact {
  const permits = new Semaphore({
    limit: Math.max(1, connectionsMax - 1),
    quotaPerKey: 1,
    queueMax,
    queueMaxPerKey: queueMaxPerUser,
    refuse: (reason) => (reason === 'timeout' ? new UnavailableError() : new BusyError({ quota: 'queries' })),
  });
  return (userId, act) => {
    const run = () => db.transaction(act).catch(throwAsRpcError);
    return withTimeout(permits.run(run, { key: String(userId), timeoutMs: msMax }), msMax, throwTimeout);
  };
}
