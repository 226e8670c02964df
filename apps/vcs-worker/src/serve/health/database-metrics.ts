import { SingleFlight, withTimeout } from '@trunkline/runtime/concurrency';
import { type Database, operationKinds } from '@trunkline/db';
import { type CallMetrics, latencyBuckets, observeGauge, type Series } from '@trunkline/runtime';
import { Histogram } from 'prom-client';
import type { WriteTransactions } from '../admission/write-transactions.ts';
import { type DatabaseFigures, readDatabaseFigures, type RunningState } from './database-figures-store.ts';

export interface FiguresTools<Figures> {
  readonly read: () => Promise<Figures>;
  readonly now?: () => number;
}

/** Time for which figures are kept, and for which a scrape waits for new ones. */
const freshMs = 5_000;
const waitMsMax = 2_000;

/**
 * Returns a function that reads figures of the database for scrapes: seldom, one read at a time, and null when the
 * database does not answer in time, so that the other metrics of the scrape come without them.
 */
export function keptFigures<Figures>({
  read,
  now = () => performance.now(),
}: FiguresTools<Figures>): () => Promise<Figures | null> {
  const reads = new SingleFlight<Figures | null>();
  let kept: { readonly at: number; readonly figures: Figures | null } | undefined;
  const readNow = async () => {
    const figures = await read().catch(() => null);
    kept = { at: now(), figures };
    return figures;
  };
  return async () => {
    if (kept && now() - kept.at < freshMs) return kept.figures;
    return withTimeout(reads.run('figures', readNow), waitMsMax, () => null);
  };
}

type Registry = CallMetrics['registry'];

/** Creates the histogram of the waits for a connection, for `WriteTransactions`. */
export function createWaitMetric(registry: Registry): (seconds: number) => void {
  const waits = new Histogram({
    name: 'trunkline_transaction_wait_seconds',
    help: 'Wait of a transaction that changes something for a connection to the database',
    buckets: latencyBuckets,
    registers: [registry],
  });
  return (seconds) => waits.observe(seconds);
}

const states: readonly RunningState[] = ['running', 'waiting', 'orphaned'];

/** Returns a series for each kind and state of operations of each storage: 0 for those of which there is none. */
function seriesOf({ operations, storages }: DatabaseFigures, figure: 'count' | 'seconds'): Series[] {
  const keyOf = (labels: Readonly<Record<'storage' | 'kind' | 'state', string>>) =>
    [labels.storage, labels.kind, labels.state].join();
  const found = new Map(operations.map((one) => [keyOf(one), one[figure]]));
  return storages.flatMap(({ storage }) =>
    operationKinds.flatMap((kind) =>
      states.map((state) => {
        const labels = { storage, kind, state };
        return { labels, value: found.get(keyOf(labels)) ?? 0 };
      }),
    ),
  );
}

export function observeTransactions(registry: Registry, transactions: Pick<WriteTransactions, 'figures'>): void {
  observeGauge(registry, {
    name: 'trunkline_transactions',
    help: 'Transactions that change something: those that run, and those that wait for a connection',
    labels: ['state'],
    read: () => Object.entries(transactions.figures).map(([state, value]) => ({ labels: { state }, value })),
  });
}

/** Registers figures of the database about the storages that this worker clears. */
export function observeDatabase(registry: Registry, { db, worker }: { db: Database; worker: string }): void {
  const figures = keptFigures({ read: () => readDatabaseFigures(db, worker) });
  const operations = (name: string, help: string, figure: 'count' | 'seconds') =>
    observeGauge(registry, {
      name,
      help,
      labels: ['storage', 'kind', 'state'],
      read: async () => {
        const found = await figures();
        return found ? seriesOf(found, figure) : [];
      },
    });
  operations(
    'trunkline_operations',
    'Operations that have not ended, of the storages that this worker clears: running, waiting for their first worker, or orphaned (their lease has run out)',
    'count',
  );
  operations('trunkline_operations_oldest_seconds', 'Age of the oldest of these operations', 'seconds');
  const storages = (name: string, help: string, valueOf: (one: DatabaseFigures['storages'][number]) => number) =>
    observeGauge(registry, {
      name,
      help,
      labels: ['storage', 'state'],
      read: async () =>
        ((await figures())?.storages ?? []).map((one) => ({
          labels: { storage: one.storage, state: one.state },
          value: valueOf(one),
        })),
    });
  storages(
    'trunkline_storage_repositories',
    'Repositories of the storage, reported by the worker that clears it',
    ({ repositories }) => repositories,
  );
  storages('trunkline_storage_repository_bytes', 'Recorded size of these repositories', ({ bytes }) => bytes);
  storages(
    'trunkline_storage_damaged_repositories',
    'Repositories of the storage in which the last verification found something damaged or missing',
    ({ damaged }) => damaged,
  );
}
