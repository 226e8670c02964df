import type { ArgsOfMethod, Method, ResultOfMethod, Served, ServedName } from '@trunkline/contracts';
import type { Db, SecretVault, Transaction } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import type { Access, RepositoryAccess } from '../authz/authorize.ts';
import type { RepositoryFeeds } from '../feed/repository-feeds.ts';
import type { NewOperation } from '../operations/operation-store.ts';
import type { StorageWatch } from '../health/storage-health.ts';
import type { SmallFiles } from '../repo/small-files.ts';
import type { Storage } from '../storage/storage.ts';
import type { VcsBackend } from '../vcs/backend.ts';
import type { NodeListings } from '../vcs/node-listings.ts';

/** What every handler may use. */
export interface Tools {
  readonly vault: SecretVault;
  readonly storage: Storage;
  readonly storageWatch: StorageWatch;
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
  readonly logger: Logger;
  /** Tells operators of a repository whose bytes could not be read. */
  readonly noteUnreadable: (repository: Pick<RepositoryAccess, 'id' | 'type'>) => void;
  readonly nodeListings: NodeListings;
  readonly feeds: RepositoryFeeds;
  readonly smallFiles: SmallFiles;
  /** Whether the operator has set up ssh for remotes. */
  readonly sshEnabled: boolean;
  /** Tells every gateway to forget what it remembers of callers. */
  readonly announceCallersChanged: () => void;
  /** Tells every worker that an operation is to be cancelled. */
  readonly announceCancelled: () => void;
  /** Has every worker look now for operations whose worker is gone, and for what is to be cleared away. */
  readonly wakeSweepers: () => void;
  /** For how long the trash is kept. */
  readonly trashDays: number;
  /** How long fork_repo waits for its fork before it answers. */
  readonly forkWaitMs: number;
}

/** The caller's rights are checked; nothing will be changed. */
export interface ReadContext extends Tools {
  readonly db: Db;
  readonly access: Access;
  /**
   * Waits, holding no slot, until the operation may have ended or the time is up; false when this worker is told to
   * stop, and nobody is to wait any longer.
   */
  readonly operationEnded: (operationId: string, msMax: number) => Promise<boolean>;
}

export interface WriteScope {
  readonly db: Transaction;
  readonly access: Access;
  /** Reads the caller's rights again: what was waited for may have taken them away. */
  authorize(): Promise<Access>;
}

export interface OperationScope extends WriteScope {
  /** Id of the first operation that is begun; the client knows it. */
  readonly operationId: string;
  begin(operation: Omit<NewOperation, 'actorId'>): Promise<void>;
}

export interface WriteContext extends Tools {
  /** For what is read before a transaction, because something slow lies between. */
  readonly db: Db;
  /** Checks the caller's rights without acting on them: for work that is too slow for a transaction. */
  authorize(): Promise<Access>;
  /** Checks the caller's rights and acts on them, in one transaction. */
  transact<T>(act: (scope: WriteScope) => Promise<T>): Promise<T>;
}

export interface OperationContext extends Tools {
  readonly db: Db;
  /** Checks the caller's rights before anything begins: for work that is too slow for a transaction. */
  authorize(): Promise<Access>;
  /** Fires when the time for such work is up, or this worker is told to stop. */
  readonly signal: AbortSignal;
  /**
   * Checks the caller's rights and begins operations, in one transaction; then runs them to their end.
   * Waits, holding nothing, while another operation runs on the repository.
   */
  runOperation<T>(reserve: (scope: OperationScope) => Promise<T>): Promise<T>;
  /** Like `runOperation`, but waits at most this long for the end: then the operations go on without the caller. */
  runOperationWithin<T>(
    msMax: number,
    reserve: (scope: OperationScope) => Promise<T>,
  ): Promise<{ readonly reserved: T; readonly ended: boolean }>;
}

interface Contexts {
  readonly read: ReadContext;
  readonly write: WriteContext;
  readonly operation: OperationContext;
}

type AccessOf<O> = O extends Method & { readonly access: infer X extends keyof Contexts } ? X : never;

/** The signature that a method's contract requires of its handler. */
export type MethodHandler<N extends ServedName> = (
  args: ArgsOfMethod<Served[N]>,
  context: Contexts[AccessOf<Served[N]>],
) => Promise<ResultOfMethod<Served[N]>>;
