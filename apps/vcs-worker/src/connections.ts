import type { SecretVault } from '@trunkline/db';
import type {
  Bus,
  CallMetrics,
  DataClient,
  Logger,
  RunningCalls,
  RunningOperations,
  Tracing,
} from '@trunkline/runtime';
import type { WriteTransactions } from './serve/admission/write-transactions.ts';
import type { WorkerPools } from './database-pools.ts';
import type { WaitForOperationEnd } from './jobs/operations/operation-ended-waiter.ts';
import type { FailureMetrics } from './serve/health/health-metrics.ts';

/** The connections of a worker, and what all of its parts share. */
export interface Connections {
  readonly pools: WorkerPools;
  readonly vault: SecretVault;
  readonly logger: Logger;
  readonly worker: string;
  readonly transactions: WriteTransactions;
  readonly stopping: AbortController;
  readonly bus: Bus;
  /** Opens transfers to other workers. */
  readonly dataClient: DataClient;
  readonly metrics: CallMetrics;
  readonly failures: FailureMetrics;
  readonly waitForOperationEnd: WaitForOperationEnd;
  /** What this worker runs at the moment. */
  readonly running: { readonly calls: RunningCalls; readonly operations: RunningOperations };
  /** Null without a collector of traces. */
  readonly tracing: Tracing | null;
}
