import {
  prepared,
  repositories,
  type Database,
  type SecretVault,
  type StoredChangeset,
  type Transaction,
} from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { eq, sql } from 'drizzle-orm';
import { crashPoint } from '../../crash-points.ts';
import type { WriteTransactions } from '../../serve/admission/write-transactions.ts';
import type { Copies } from '../../copies/copies.ts';
import type { ClaimedOperation } from '../operations/claimed-operation.ts';
import { endCreation, type EmptyRepository } from '../operations/creation-store.ts';
import { endOperation, fencedError, requireHeld, requireLease } from '../operations/operation-store.ts';
import { recordFileChange } from '../storage-jobs/maintenance-job.ts';
import { measureSize } from '../../storage/measure-size.ts';
import type { Storages } from '../../storage/storages.ts';
import type { VcsBackend } from '../../vcs/backend.ts';
import { removeRepository } from '../../domain/repo/deletion-store.ts';
import { lockGroupsForRemoval, removeEmptyGroups } from '../../domain/groups/repo-group-store.ts';

export interface RunnerTools {
  /** Pool for reads. */
  readonly db: Database;
  readonly transactions: WriteTransactions;
  readonly worker: string;
  readonly storages: Storages;
  readonly vault: SecretVault;
  readonly backends: Readonly<Record<'hg' | 'git', VcsBackend>>;
  readonly sshEnabled: boolean;
  readonly copies: Copies;
  readonly logger: Pick<Logger, 'warn'>;
}

const byId = eq(repositories.id, sql.placeholder('id'));
const selectRepository = prepared((db) => db.select().from(repositories).where(byId).prepare('load_repository'));
const lockEpoch = prepared((db) =>
  db.select({ epoch: repositories.epoch }).from(repositories).where(byId).for('update').prepare('lock_epoch'),
);
const recordChange = prepared((db) =>
  db
    .update(repositories)
    .set({
      state: 'ready',
      generation: sql`${repositories.generation} + 1`,
      lastChangeset: sql`${sql.placeholder('lastChangeset')}::jsonb`,
      defaultBranch: sql`${sql.placeholder('defaultBranch')}`,
      sizeBytes: sql`${sql.placeholder('sizeBytes')}`,
      needsRecovery: sql`${sql.placeholder('needsRecovery')}`,
    })
    .where(byId)
    .prepare('record_change'),
);

/** Reads the repository of an operation, in any state. */
export async function loadRepository({ db }: RunnerTools, operation: ClaimedOperation) {
  const [row] = await selectRepository(db).execute({ id: operation.repositoryId });
  if (!row) throw new Error(`operation ${operation.id} has no repository`);
  return row;
}

/**
 * Ends an operation together with its changes. Locks groups, then the repository, then the operation, in the order of
 * all transactions: otherwise an ending operation and another call could deadlock. While a row is locked, the
 * transaction is run again and again, since an operation that took an hour must not fail for that: `change` must bear
 * to be repeated after a rollback.
 */
export async function finishOperation(
  { transactions, worker }: RunnerTools,
  operation: ClaimedOperation,
  end: Parameters<typeof endOperation>[3],
  change: (tx: Transaction) => Promise<unknown>,
  groupIds: readonly number[] = [],
): Promise<void> {
  const { repositoryId, epoch } = operation;
  const finish = transactions.runWithoutCall(async (tx) => {
    // An attempt that lost its lease does not wait for locks any longer.
    await requireHeld(tx, operation, worker);
    await lockGroupsForRemoval(tx, groupIds);
    const [row] = await lockEpoch(tx).execute({ id: repositoryId });
    // A change of files that are no longer those of the repository does not count.
    if (row && epoch !== null && row.epoch !== epoch) throw fencedError(operation);
    await endOperation(tx, operation, worker, end);
    await change(tx);
    crashPoint('end.changed');
  });
  await committed(finish);
}

async function committed(end: Promise<void>): Promise<void> {
  await end;
  crashPoint('end.committed');
}

/** Records what was made of an empty repository, and the end of its creation, in one statement. */
export function completeEmpty(
  { transactions, worker }: RunnerTools,
  operation: ClaimedOperation,
  made: EmptyRepository,
): Promise<void> {
  return committed(transactions.runStatementWithoutCall((db) => endCreation(db, operation, worker, made)));
}

interface CompletedChange {
  readonly needsRecovery?: boolean;
  /** The size of the repository where it is known; it is measured when absent. */
  readonly sizeBytes?: number | null;
  /** Records more in the same transaction. */
  readonly alsoRecord?: (tx: Transaction) => Promise<void>;
}

/** Records the new tip, default branch and size, a new generation and the end of the operation in one transaction. */
export async function completeChange(
  tools: RunnerTools,
  operation: ClaimedOperation,
  { type, storagePath }: Pick<typeof repositories.$inferSelect, 'type' | 'storagePath'>,
  lastChangeset: StoredChangeset | null,
  { needsRecovery = false, sizeBytes: known, alsoRecord }: CompletedChange = {},
): Promise<void> {
  const path = tools.storages.of(operation).absolute(storagePath);
  const [sizeBytes, defaultBranch] = await Promise.all([
    known === undefined ? measureSize(path) : known,
    tools.backends[type].defaultBranch(path),
  ]);
  await finishOperation(tools, operation, { state: 'done' }, async (tx) => {
    await recordChange(tx).execute({
      id: operation.repositoryId,
      lastChangeset: lastChangeset === null ? null : JSON.stringify(lastChangeset),
      defaultBranch,
      sizeBytes,
      needsRecovery,
    });
    if (lastChangeset !== null) await recordFileChange(tx, operation.repositoryId);
    await alsoRecord?.(tx);
  });
}

/** Returns the name of the operation's repository, for texts. */
export function nameIn(operation: Pick<ClaimedOperation, 'request'>): string {
  return String(operation.request['name']);
}

/** Returns the ids of the groups that were made for the operation's repository. */
export function createdGroupIds(operation: Pick<ClaimedOperation, 'request'>): number[] {
  const ids = operation.request['createdGroupIds'];
  return Array.isArray(ids) ? ids.filter((id): id is number => typeof id === 'number') : [];
}

/**
 * Rolls back the creation of a repository: removes its row, its name and the groups created for it. The bytes are
 * removed before.
 */
export async function rollbackCreation(tools: RunnerTools, operation: ClaimedOperation, error: string): Promise<void> {
  const remove = (tx: Transaction) => removeCreated(tx, operation);
  await finishOperation(tools, operation, { state: 'failed', error }, remove, createdGroupIds(operation));
}

/** Removes the row and the name of a repository whose creation failed, and the groups made for it, which are locked. */
export async function removeCreated(
  tx: Transaction,
  operation: Pick<ClaimedOperation, 'repositoryId' | 'request'>,
): Promise<void> {
  await removeRepository(tx, operation.repositoryId);
  await removeEmptyGroups(tx, createdGroupIds(operation));
}

/**
 * Moves a repository's directory to the trash or back. Checks the lease under the operation's move lock: an attempt that
 * was suspended since either has kept later ones out, or does not begin to move. No transaction is open meanwhile, since
 * the disk may hang.
 */
export async function withMoveLock(
  { transactions, worker, storages }: RunnerTools,
  operation: ClaimedOperation,
  move: () => Promise<void>,
): Promise<void> {
  const release = await storages.of(operation).moveLocks.acquire(operation.id);
  try {
    await transactions.runWithoutCall((tx) => requireLease(tx, operation, worker));
    await move();
  } finally {
    await release();
  }
}

/**
 * Runs a write in a repository that is in use. Checks the lease under the write lock: a worker that was paused either
 * has kept all others out, or does not begin to write.
 */
export async function withWriteLock<T>(
  { transactions, worker, storages, backends }: RunnerTools,
  operation: ClaimedOperation,
  { type, storageId, storagePath }: Pick<typeof repositories.$inferSelect, 'type' | 'storageId' | 'storagePath'>,
  write: (path: string) => Promise<T>,
): Promise<T> {
  const path = storages.of({ storageId }).absolute(storagePath);
  const release = await backends[type].acquireWriteLock(path);
  try {
    await transactions.runWithoutCall((tx) => requireLease(tx, operation, worker));
    return await write(path);
  } finally {
    await release();
  }
}

/** Writes an index that makes walks of the history fast. Logs a failure, unless the signal was aborted. */
export async function indexHistory(
  { backends, logger }: RunnerTools,
  { repositoryId }: ClaimedOperation,
  { type, path }: { readonly type: 'hg' | 'git'; readonly path: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    await backends[type].indexHistory(path, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    logger.warn({ err: error, repositoryId }, 'history could not be indexed');
  }
}
