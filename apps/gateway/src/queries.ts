import { BusyError, InternalError, UnavailableError } from '@trunkline/contracts';
import { databaseFailure, type Database, type Transaction } from '@trunkline/db';
import { Semaphore, withTimeout, type RefusalReason } from '@trunkline/runtime/concurrency';
import { latencyBuckets, observeGauge, type CallMetrics } from '@trunkline/runtime';
import { Histogram } from 'prom-client';

/** Runs a query; throws BusyError when too many queries are pending, UnavailableError when the query takes too long. */
export type Bulkhead = <T>(ask: () => Promise<T>) => Promise<T>;

/** Runs a transaction that may wait for the rows of a user, and throws what Bulkhead throws. */
export type Transact = <T>(userId: number, act: (tx: Transaction) => Promise<T>) => Promise<T>;

interface BulkheadLimits {
  readonly waitingMax: number;
  readonly waitMsMax: number;
}

const limitsDefault: BulkheadLimits = { waitingMax: 1_000, waitMsMax: 5_000 };
const waitingMaxPerUser = 64;

const refuse = (reason: RefusalReason) =>
  reason === 'timeout' ? new UnavailableError() : new BusyError({ quota: 'queries' });

function throwTimeout(): never {
  throw new UnavailableError();
}

/** Bounds number and time of pending queries: a frozen database server keeps its connections and answers nothing. */
export function createBulkhead({ waitingMax, waitMsMax } = limitsDefault): Bulkhead {
  const queries = new Semaphore({ limit: waitingMax, refuse });
  // The permit is held until the query ends, also after its caller has received UnavailableError.
  return async (ask) => withTimeout(queries.run(ask), waitMsMax, throwTimeout);
}

/**
 * A bulkhead in which the transactions of one user run one after the other, and all together leave a connection of the
 * pool free: so held rows of some users keep no other query waiting. They are transactions, even of one statement,
 * because the driver sends nothing else on the connection of a transaction meanwhile.
 */
export function createTransact(
  db: Pick<Database, 'transaction'>,
  connectionsMax: number,
  limits = limitsDefault,
): Transact {
  const bulkhead = createBulkhead(limits);
  const transactions = new Semaphore({
    limit: Math.max(1, connectionsMax - 1),
    quotaPerKey: 1,
    queueMaxPerKey: waitingMaxPerUser,
    refuse,
  });
  return (userId, act) => {
    const run = () => db.transaction(act).catch(throwAsRpcError);
    // One that has waited for so long has been answered, and must not run later.
    return bulkhead(() => transactions.run(run, { key: String(userId), timeoutMs: limits.waitMsMax }));
  };
}

/** Wraps the cause of a query error in an RpcError; drops the outer error, whose message holds the parameters. */
export function throwAsRpcError(thrown: unknown): never {
  const cause = thrown instanceof Error ? thrown.cause : thrown;
  throw databaseFailure(thrown) ? new UnavailableError({ cause }) : new InternalError({ cause });
}

/** Adds the queries of a bulkhead to the metrics, under a name. */
type MeterQueries = (name: string, bulkhead: Bulkhead) => Bulkhead;

/** Registers metrics of the queries that requests wait for: how many are pending, and how long they take with their wait. */
export function createQueryMetrics(registry: CallMetrics['registry']): MeterQueries {
  const pending = new Map<string, number>();
  const seconds = new Histogram({
    name: 'trunkline_database_query_seconds',
    help: 'Time of a query of a gateway, with its wait for a connection',
    labelNames: ['queries'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  observeGauge(registry, {
    name: 'trunkline_database_queries_pending',
    help: 'Queries of a gateway that run or wait for a connection',
    labels: ['queries'],
    read: () => [...pending].map(([queries, value]) => ({ labels: { queries }, value })),
  });
  return (queries, bulkhead) => {
    const add = (by: number) => pending.set(queries, (pending.get(queries) ?? 0) + by);
    add(0);
    return async (ask) => {
      const began = performance.now();
      add(1);
      try {
        return await bulkhead(ask);
      } finally {
        add(-1);
        seconds.observe({ queries }, (performance.now() - began) / 1_000);
      }
    };
  };
}
