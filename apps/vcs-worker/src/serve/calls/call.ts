import type { EntityRef, Method, WorkerRequest } from '@trunkline/contracts';
import type { Database, Db } from '@trunkline/db';
import type { Slot, WaitingSlot } from '../admission/lane-slots.ts';
import type { WriteTransactions } from '../admission/write-transactions.ts';
import type { AuditedCall } from '../../domain/audit/audited-call.ts';
import type { Access } from '../../authz/authorize.ts';
import type { DataPort } from '../data-port.ts';
import type { RepositoryService } from '../../repository-service.ts';
import type { WaitForOperationEnd } from '../../jobs/operations/operation-end.ts';
import type { Tools } from '../../worker-tools.ts';

/** One call and the worker's environment for it. What begins operations and transactions needs no more than a WaitingSlot. */
export interface Call<CallSlot extends WaitingSlot = Slot> {
  readonly environment: {
    readonly tools: Tools;
    /** Pool for reads. */
    readonly db: Database;
    readonly transactions: WriteTransactions;
    /** Null in a worker that serves the lane `metadata` alone. */
    readonly repositoryService: Pick<RepositoryService, 'tools' | 'engine'> | null;
    readonly dataPort: Pick<DataPort, 'offer'>;
    /** Waits until an operation may have ended; resolves at once when this worker is told to stop. */
    readonly waitForOperationEnd: WaitForOperationEnd;
    /** Fires when this worker is told to stop. */
    readonly stopping: AbortSignal;
  };
  /** The parts that belong to this call alone. */
  readonly frame: {
    readonly request: WorkerRequest;
    readonly slot: CallSlot;
    readonly signal: AbortSignal;
    /** Moment at which the call's time is up, by `performance.now()`. */
    readonly deadline: number;
    /** Aborts when nobody awaits the operation of the call any more; one that has begun goes on. Absent where unknown. */
    readonly clientGone?: AbortSignal;
    /**
     * Notes the id of the call's repository for the log: first the named one, then a created one; the last note counts.
     */
    readonly noteRepository: (id: number) => void;
  };
  readonly method: Method;
  /** The repository that the call names. */
  readonly ref: EntityRef | null;
  /** Key of the object that the call names, or else of its caller, for queues and quotas. */
  readonly objectKey: string;
  readonly authorized: (db: Db) => Promise<Access>;
  /** Entry of the call in the audit log; null for a call that changes nothing. */
  readonly audited: AuditedCall | null;
}

/** Returns the repository service. Lanes whose methods need it are served by workers that have it. */
export function requireRepositoryService({
  environment: { repositoryService },
}: Pick<Call, 'environment'>): Pick<RepositoryService, 'tools' | 'engine'> {
  if (!repositoryService) throw new Error('this worker serves the lane metadata alone');
  return repositoryService;
}
