import type { repositories, Transaction } from '@trunkline/db';
import type { Access } from './authz/authorize.ts';
import type { NewCreation } from './jobs/operations/creation-store.ts';
import type { NewDeletion } from './jobs/operations/deletion-begin-store.ts';
import type { NewOperation } from './jobs/operations/operation-store.ts';

/**
 * `key share` keeps other transactions from renaming or deleting the repository, `share` from changing the row at all.
 * Changes of the repository or its permissions take `no key update`, renames and deletions `update`, as the first lock
 * on the row: two transactions that upgraded a shared lock would deadlock.
 */
export type Strength = 'key share' | 'share' | 'no key update' | 'update';

/** What a lock on a repository reads of it. */
export type LockedRow = Pick<
  typeof repositories.$inferSelect,
  'id' | 'name' | 'uuid' | 'type' | 'private' | 'storageId' | 'storagePath' | 'sizeBytes'
>;

/** The transaction of a call that changes something; the caller's rights were read in it. */
export interface WriteScope {
  readonly db: Transaction;
  readonly access: Access;
  /** The repository that the call names, if the transaction began with a lock on it; null otherwise. */
  readonly locked: LockedRow | null;
  /** Reads the caller's rights again: they may have been revoked while the call waited for a lock. */
  authorize(): Promise<Access>;
}

export interface OperationScope extends WriteScope {
  /** Id for the call's own operation, by which the client asks for it; further operations have ids of their own. */
  readonly operationId: string;
  /** Records an operation, which runs after the transaction; those of one call run in the order of their beginning. */
  begin(operation: Omit<NewOperation, 'actorId'>): Promise<void>;
  /** Begins the operation that makes the bytes of a new repository, and records the call in the same statement. */
  beginCreation(creation: NewCreation): Promise<void>;
  /**
   * Records the deletions of a family, in as many statements as one of them. They run as those of `begin` do; workers of
   * their storages claim those that are not claimed.
   */
  beginDeletions(deletions: readonly NewDeletion[], busyText: string): Promise<void>;
}
