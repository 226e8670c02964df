import { OperationFailedError } from '@trunkline/contracts';
import { findOwnOperation, type OwnOperation } from '../../jobs/operations/operation-end.ts';
import {
  creationResult,
  deletionResult,
  forkResult,
  maintenanceResult,
  moveResult,
  pullResult,
  pushResult,
  restoreResult,
  type RestoreOutcome,
} from '../../domain/repo/operation-results.ts';
import { findLock } from '../../domain/repo/repository-lock-store.ts';
import { findReadable } from '../../domain/repo/repository-store.ts';
import { toRepositoryRecord, updateResult } from '../../domain/repo/repository-record.ts';
import type { MethodHandler, ReadContext } from '../context.ts';

type Reader = Pick<ReadContext, 'db' | 'access' | 'vault'>;

/**
 * Returns the record of the new repository; the record as of its creation if it has been deleted since, or if the user
 * may no longer read it.
 */
async function repositoryRecord({ repositoryId, request }: OwnOperation, { db, access: { user }, vault }: Reader) {
  const row = await findReadable(db, repositoryId, user.id);
  return row ? toRepositoryRecord(row, { admin: user.admin, vault }) : (request['record'] ?? null);
}

/** Returns the result of the update, as its repository is now; null when the user may no longer read it. */
async function updatedResult({ repositoryId }: OwnOperation, { db, access: { user }, vault }: Reader) {
  const row = await findReadable(db, repositoryId, user.id);
  return row ? updateResult(row, await findLock(db, row.id), { admin: user.admin, vault }) : null;
}

async function resultOf(operation: OwnOperation, reader: Reader): Promise<unknown> {
  const { kind, request } = operation;
  const name = String(request['name']);
  if (kind === 'pull') return pullResult(name);
  if (kind === 'default_branch') return updatedResult(operation, reader);
  if (kind === 'push') return pushResult(name);
  if (kind === 'maintain') return maintenanceResult(name, request['unreachable'] === 'removed', null);
  if (kind === 'fork') return forkResult(String(request['source']), name, null);
  if (kind === 'move') {
    const { moved } = request;
    const others = Number(request['others'] ?? 0);
    return moveResult(typeof moved === 'string' ? moved : name, { storage: String(request['storage']), others }, null);
  }
  if (kind === 'delete') {
    return deletionResult(name, { forks: String(request['forks']), direct: Number(request['direct']) });
  }
  // The request has it in the shape in which restore_repo wrote it.
  if (kind === 'restore') return restoreResult(name, request['outcome'] as RestoreOutcome);
  // These have ids of their own, which are no calls' ids.
  return kind === 'adopt' || kind === 'replace' || kind === 'verify'
    ? null
    : creationResult(name, await repositoryRecord(operation, reader));
}

export const viewOperationResult: MethodHandler<'view_operation_result'> = async ({ operation_id: id }, context) => {
  const operation = await findOwnOperation(context.db, context.access.user.id, id);
  if (!operation || operation.state === 'running') return null;
  if (operation.state === 'failed') throw new OperationFailedError(operation.error ?? 'the operation failed');
  return resultOf(operation, context);
};
