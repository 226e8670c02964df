import type { OperationProgress, operations } from '@trunkline/db';

type Row = typeof operations.$inferSelect;

/** A row of the journal that this worker holds, in this attempt. */
export type ClaimedOperation = Pick<
  Row,
  'id' | 'kind' | 'repositoryId' | 'sourceRepositoryId' | 'attempt' | 'handovers' | 'cancelRequestedAt' | 'request'
> & {
  /** By `performance.now()`, before its lease began: what is done until it is held counts. */
  readonly claimedAt: number;
};

export type OperationKind = Row['kind'];

/** Tells how far it is, as often as it likes. */
export type ReportProgress = (progress: OperationProgress) => void;

/** How one kind of operation is done, and undone. Both see nothing but the journal's row, so any worker can. */
export interface OperationRunner {
  /** Whether a worker that takes it over starts it again; otherwise it is undone. */
  readonly restartable: boolean;
  /** The text the client hears when it fails. */
  failureText(operation: ClaimedOperation, error: unknown): string;
  /** The text in the journal and the audit log, where it tells more than the client's. */
  recordedText?(operation: ClaimedOperation, error: unknown): string;
  run(operation: ClaimedOperation, signal: AbortSignal, report: ReportProgress): Promise<void>;
  undo(operation: ClaimedOperation, error: string): Promise<void>;
}

export type OperationRunners = Readonly<Record<OperationKind, OperationRunner>>;
