import {
  ConflictError,
  type DeletedRepositoryRecord,
  InvalidArgsError,
  NotFoundError,
  OperationFailedError,
  repositoryNameProblem,
  toTimestamp,
} from '@trunkline/contracts';
import { type DeletedRow, isDeleted, listDeleted } from '../../jobs/deleted/deleted-list-store.ts';
import type { MethodHandler } from '../context.ts';
import {
  attachForks,
  claimDeleted,
  findDeleted,
  insertRestored,
  restorePeople,
} from '../../jobs/deleted/restore-store.ts';
import { restoreFailureText } from '../../domain/repo/failure-texts.ts';
import { repositoryNameTakenError, reserveName } from '../../domain/repo/name-store.ts';
import { restoreResult } from '../../domain/repo/operation-results.ts';
import { ensureGroups, lockGroups } from '../../domain/groups/repo-group-store.ts';
import { requireServed } from '../../storage/require-storage.ts';
import { storagePathOf } from '../../storage/storage.ts';
import { findUserById } from '../../domain/user/user-store.ts';

const dayMs = 86_400_000;

function toRecord(row: DeletedRow, trashDays: number): DeletedRepositoryRecord {
  return {
    repo_id: row.id,
    repo_name: row.name,
    repo_type: row.type,
    description: row.description,
    private: row.private,
    owner: row.owner,
    storage: row.storage,
    size_bytes: row.sizeBytes,
    deleted_by: row.deletedBy,
    deleted_on: toTimestamp(row.deletedAt),
    kept_until: toTimestamp(new Date(row.deletedAt.getTime() + trashDays * dayMs)),
    restoring: row.isRestored,
  };
}

export const getDeletedRepos: MethodHandler<'get_deleted_repos'> = async ({ limit, cursor }, { db, trashDays }) => {
  if (cursor !== null && !(await isDeleted(db, cursor))) {
    throw new InvalidArgsError(`Invalid value for \`cursor\`: there is no deleted repository \`${cursor}\``);
  }
  const rows = await listDeleted(db, { trashDays, limit, cursor });
  return rows.map((row) => toRecord(row, trashDays));
};

function refuseName(reason: string): OperationFailedError {
  return new OperationFailedError(`Invalid value for \`name\`: ${reason}`);
}

export const restoreRepo: MethodHandler<'restore_repo'> = async (args, { runOperation, storages, trashDays }) => {
  const { id } = args;
  const { reserved: restored } = await runOperation({}, async ({ db, access: { user }, operationId, begin }) => {
    const deleted = await findDeleted(db, id, trashDays);
    if (!deleted) throw new NotFoundError(`deleted repository \`${id}\` does not exist`);
    await requireServed(db, storages, deleted);
    const name = args.name ?? deleted.name;
    const problem = repositoryNameProblem(name);
    if (problem) throw refuseName(problem);
    // Locks groups, then repositories, then names, in the order of all transactions.
    await lockGroups(db, name);
    if (!(await claimDeleted(db, { id, trashDays, restoring: operationId }))) {
      throw new ConflictError(`Repository \`${deleted.name}\` is already being restored`);
    }
    const groups = await ensureGroups(db, name, user, refuseName);
    if (!(await reserveName(db, name, 'repository'))) {
      throw refuseName((await repositoryNameTakenError(db, name)).message);
    }
    const owner = (await findUserById(db, deleted.ownerId)) ?? user;
    const epoch = deleted.nextEpoch;
    const storagePath = storagePathOf(deleted.uuid, epoch);
    await insertRestored(db, { id, name, groupId: groups.groupId, ownerId: owner.id, storagePath, epoch });
    const leftOut = await restorePeople(db, id);
    const forks = await attachForks(db, id);
    const outcome = { owner: owner.username, forks, leftOut };
    await begin({
      id: operationId,
      kind: 'restore',
      repositoryId: id,
      request: { name, deletion: deleted.deletion, storagePath, createdGroupIds: groups.createdIds, outcome },
      busyText: restoreFailureText(name, null),
    });
    return { name, outcome };
  });
  return restoreResult(restored.name, restored.outcome);
};
