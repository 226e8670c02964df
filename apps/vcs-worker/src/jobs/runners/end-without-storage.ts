import { operationKinds, operations, repositories, storages, type Db, type Transaction } from '@trunkline/db';
import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { recordEnd } from '../../domain/audit/audit-store.ts';
import type { EndedOperation, OperationKind } from '../operations/claimed-operation.ts';
import {
  adoptionFailureText,
  creationFailureText,
  deletionFailureText,
  forkFailureText,
  maintenanceFailureText,
  moveFailureText,
  pullFailureText,
  restoreFailureText,
  replacementFailureText,
  updateFailureText,
  pushFailureText,
  verificationFailureText,
} from '../../domain/repo/failure-texts.ts';
import { unmarkDeleting } from '../../domain/repo/deletion-store.ts';
import { lockGroupsForRemoval } from '../../domain/groups/repo-group-store.ts';
import { recordInterruption } from './pull-runner.ts';
import { createdGroupIds, nameIn, removeCreated } from './runner-tools.ts';

const columns = {
  id: operations.id,
  kind: operations.kind,
  repositoryId: operations.repositoryId,
  sourceRepositoryId: operations.sourceRepositoryId,
  request: operations.request,
};

type Stranded = Pick<typeof operations.$inferSelect, keyof typeof columns>;

interface WithoutBytes {
  readonly failureText: (operation: Stranded) => string;
  /** Records in the repository's row what the undo of the operation would record. */
  readonly revert: (tx: Transaction, operation: Stranded) => Promise<void>;
}

const creation: WithoutBytes = {
  failureText: (operation) => creationFailureText(nameIn(operation)),
  revert: removeCreated,
};

const kinds: Readonly<Record<OperationKind, WithoutBytes>> = {
  create: creation,
  import: creation,
  fork: {
    ...creation,
    failureText: (operation) => forkFailureText(String(operation.request['source']), nameIn(operation)),
  },
  adopt: { ...creation, failureText: (operation) => adoptionFailureText(nameIn(operation)) },
  replace: {
    failureText: (operation) => replacementFailureText(nameIn(operation)),
    // A sweep removes the copy.
    revert: async () => {},
  },
  pull: {
    failureText: (operation) => pullFailureText(nameIn(operation)),
    revert: recordInterruption,
  },
  push: {
    failureText: (operation) => pushFailureText(nameIn(operation)),
    // Some references may have changed.
    revert: recordInterruption,
  },
  delete: {
    failureText: (operation) => deletionFailureText(nameIn(operation)),
    revert: (tx, { repositoryId }) => unmarkDeleting(tx, repositoryId),
  },
  restore: {
    failureText: (operation) => restoreFailureText(nameIn(operation), null),
    // A sweep of the storage returns the bytes to the trash, and only then offers them again.
    revert: removeCreated,
  },
  move: {
    failureText: (operation) => moveFailureText(nameIn(operation), String(operation.request['storage'])),
    // A sweep at the target removes the copy.
    revert: async () => {},
  },
  maintain: {
    failureText: (operation) => maintenanceFailureText(nameIn(operation)),
    revert: async () => {},
  },
  verify: {
    failureText: (operation) => verificationFailureText(nameIn(operation), null),
    revert: async () => {},
  },
  default_branch: {
    failureText: (operation) => updateFailureText(String(operation.request['sent'])),
    revert: async () => {},
  },
};

/**
 * Returns the condition of operations without a worker, whose storage is offline or lost. Only workers of the next release
 * know what to undo of a kind that is not among those of this one.
 */
function strandedAmong(db: Db, ids: readonly string[]) {
  const away = db
    .select({ id: storages.id })
    .from(storages)
    .where(inArray(storages.state, ['offline', 'lost']));
  return and(
    inArray(operations.id, [...ids]),
    eq(operations.state, 'running'),
    inArray(operations.kind, operationKinds),
    lt(operations.leaseUntil, sql`now()`),
    inArray(operations.storageId, away),
  );
}

/** Returns which of these operations `endWithoutStorage` ends. */
export async function findStranded(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.select({ id: operations.id }).from(operations).where(strandedAmong(db, ids));
  return rows.map(({ id }) => id);
}

/**
 * Ends an operation as failed that has no worker, since its storage is offline or lost; returns null for any other. The
 * sweepers of the storage clear the bytes when it returns. Locks in the order of `finishOperation`.
 */
export async function endWithoutStorage(tx: Transaction, id: string): Promise<EndedOperation | null> {
  const isStranded = strandedAmong(tx, [id]);
  const [operation] = await tx.select(columns).from(operations).where(isStranded);
  if (!operation) return null;
  const { failureText, revert } = kinds[operation.kind];
  await lockGroupsForRemoval(tx, createdGroupIds(operation));
  const ofRepository = eq(repositories.id, operation.repositoryId);
  await tx.select({ id: repositories.id }).from(repositories).where(ofRepository).for('update');
  const error = failureText(operation);
  const ended = await tx
    .update(operations)
    .set({ state: 'failed', error, progress: null, finishedAt: sql`now()`, leaseUntil: null })
    .where(isStranded)
    .returning({ id: operations.id });
  if (ended.length === 0) return null;
  await recordEnd(tx, id, 'failed', error);
  await revert(tx, operation);
  return operation;
}
