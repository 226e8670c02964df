import type { OperationProgress, operations } from '@trunkline/db';

type Row = typeof operations.$inferSelect;

/** An operation that this worker holds the lease of, in this attempt. */
export type ClaimedOperation = Pick<
  Row,
  'id' | 'kind' | 'repositoryId' | 'sourceRepositoryId' | 'attempt' | 'handovers' | 'cancelRequestedAt' | 'request'
> & {
  /** By `performance.now()`, before the lease began, so that the lease is never overestimated. */
  readonly claimedAt: number;
};

export type OperationKind = Row['kind'];

/** Reports progress, at any rate. */
export type ReportProgress = (progress: OperationProgress) => void;

/** Runs and undoes one kind of operation, from the operation's row alone, so that any worker can. */
export interface OperationRunner {
  /** Whether a worker that takes the operation over starts it again; otherwise it is undone. */
  readonly restartable: boolean;
  /** The client's error text. */
  failureText(operation: ClaimedOperation, error: unknown): string;
  /** The text for the operation and the audit log, where it has more than the client's. */
  recordedText?(operation: ClaimedOperation, error: unknown): string;
  run(operation: ClaimedOperation, signal: AbortSignal, report: ReportProgress): Promise<void>;
  undo(operation: ClaimedOperation, error: string): Promise<void>;
}

export type OperationRunners = Readonly<Record<OperationKind, OperationRunner>>;
