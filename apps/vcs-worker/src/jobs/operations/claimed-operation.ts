import type { OperationProgress, operations, repositories } from '@trunkline/db';

type Row = typeof operations.$inferSelect;

/** An operation, and its attempt for which this worker holds the lease. */
export type ClaimedOperation = Pick<
  Row,
  | 'id'
  | 'kind'
  | 'repositoryId'
  | 'sourceRepositoryId'
  | 'storageId'
  | 'epoch'
  | 'targetStorageId'
  | 'exclusive'
  | 'attempt'
  | 'handovers'
  | 'cancelRequestedAt'
  | 'request'
> & {
  /** Whether the bytes of the storage are lost. */
  readonly isLost: boolean;
  /**
   * Moment of the claim by `performance.now()`, taken before the lease began, so that the lease is never overestimated.
   */
  readonly claimedAt: number;
  /** The repository that this worker has created together with the operation; absent in all other attempts. */
  readonly created?: CreatedRepository;
};

/** What an operation on one repository alone has when the worker that begins it makes its first attempt. */
export const firstAttempt = {
  sourceRepositoryId: null,
  targetStorageId: null,
  exclusive: true,
  attempt: 1,
  handovers: 0,
  cancelRequestedAt: null,
} as const satisfies Partial<ClaimedOperation>;

/** The members of a new repository of which its bytes are made. */
export type CreatedRepository = Pick<
  typeof repositories.$inferSelect,
  'uuid' | 'type' | 'storagePath' | 'cloneUri' | 'cloneUriSealed'
>;

/** The members of an operation by which calls wait for its end. */
export type EndedOperation = Pick<Row, 'id' | 'repositoryId' | 'sourceRepositoryId'>;

export type OperationKind = Row['kind'];

/** Reports progress; may be called at any rate. */
export type ReportProgress = (progress: OperationProgress) => void;

/** Runs and undoes one kind of operation from the operation's row alone, so that any worker can do either. */
export interface OperationRunner {
  /** Whether a worker that takes the operation over runs it again; otherwise the operation is undone. */
  readonly restartable: boolean;
  /** Returns the client's error text. */
  failureText(operation: ClaimedOperation, error: unknown): string;
  /** Returns the error text of the operation and the audit log, if they are to have more than the client's text. */
  recordedText?(operation: ClaimedOperation, error: unknown): string;
  /** Does the work and records its end. After an error the engine calls `undo`, unless another attempt follows. */
  runAttempt(operation: ClaimedOperation, signal: AbortSignal, report: ReportProgress): Promise<void>;
  /** Reverts what every attempt has left, and records the failure with this text. */
  undo(operation: ClaimedOperation, error: string): Promise<void>;
}

export type OperationRunners = Readonly<Record<OperationKind, OperationRunner>>;
