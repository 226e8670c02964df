import { databaseTime, openCloneUri } from '@trunkline/db';
import type {
  ClaimedOperation,
  CreatedRepository,
  OperationRunner,
  ReportProgress,
} from '../operations/claimed-operation.ts';
import { parseRemote } from '../../vcs/remote/parse-remote.ts';
import { crashPoint } from '../../crash-points.ts';
import { measureSize } from '../../storage/measure-size.ts';
import type { Storage } from '../../storage/storage.ts';
import { toStoredChangeset } from '../../domain/repo/recorded-state.ts';
import { creationFailureText, withDiskFailure, withRemoteFailure } from '../../domain/repo/failure-texts.ts';
import {
  completeChange,
  completeEmpty,
  indexHistory,
  loadRepository,
  nameIn,
  rollbackCreation,
  withMoveLock,
  type RunnerTools,
} from './runner-tools.ts';

/** Removes everything of a repository whose creation failed. */
export async function undoCreation(tools: RunnerTools, operation: ClaimedOperation, error: string): Promise<void> {
  const storage = tools.storages.of(operation);
  const { storagePath } = await loadRepository(tools, operation);
  const now = await databaseTime(tools.db);
  const isStaged = (await storage.stagedOperations()).includes(operation.id);
  // On a storage that became read-only nothing was made, and nothing can be locked.
  if (isStaged || (await storage.exists(storagePath))) {
    await withMoveLock(tools, operation, async () => {
      await storage.clearStaging(operation.id);
      crashPoint('undo-creation.cleared');
      if (await storage.exists(storagePath)) await storage.trash(storagePath, operation.id, now);
    });
  }
  crashPoint('undo-creation.moved');
  await rollbackCreation(tools, operation, error);
}

/** Returns a function for the size of an empty repository, which all of one storage and type have. */
function emptySizes() {
  const sizes = new Map<string, number>();
  return async (key: string, path: string): Promise<number | null> => {
    const size = sizes.get(key) ?? (await measureSize(path));
    if (size !== null) sizes.set(key, size);
    return size;
  };
}

/** Returns whether an earlier attempt has ended after the rename, but before the rename was recorded. */
async function isPublished(storage: Storage, { attempt }: ClaimedOperation, storagePath: string): Promise<boolean> {
  return attempt > 1 && (await storage.isPublished(storagePath));
}

/**
 * Returns the runner that builds a repository in staging, empty or from its remote, and renames the complete repository
 * to its path.
 */
export function creationRunner(tools: RunnerTools): OperationRunner {
  const { storages, backends, vault } = tools;
  const emptySize = emptySizes();

  const build = async (
    operation: ClaimedOperation,
    { type, uuid, storagePath }: CreatedRepository,
    cloneUri: string | null,
    { signal, report }: { readonly signal: AbortSignal; readonly report: ReportProgress },
  ) => {
    const storage = storages.of(operation);
    const staging = storage.staging(operation.id, operation.attempt);
    if (cloneUri === null) await backends[type].init(staging, uuid);
    else {
      const remote = parseRemote(type, cloneUri, { sshEnabled: tools.sshEnabled });
      await backends[type].importFrom(staging, uuid, remote, signal, report);
      await indexHistory(tools, operation, { type, path: staging }, signal);
    }
    crashPoint('create.built');
    const publish = cloneUri === null ? storage.publishSynced : storage.publish;
    await publish(staging, storagePath, signal);
  };

  return {
    restartable: true,
    failureText: (operation, error) => {
      const text = creationFailureText(nameIn(operation));
      return operation.kind === 'import' ? withRemoteFailure(text, error) : withDiskFailure(text, error);
    },
    async runAttempt(operation, signal, report) {
      const repository = operation.created ?? (await loadRepository(tools, operation));
      const { type, storagePath } = repository;
      const storage = storages.of(operation);
      const path = storage.absolute(storagePath);
      const cloneUri = openCloneUri(repository, vault);
      const isThere = await isPublished(storage, operation, storagePath);
      if (!isThere) await build(operation, repository, cloneUri, { signal, report });
      if (cloneUri === null) {
        // An earlier attempt, of another release perhaps, may have left the repository.
        const sizeBytes = isThere ? await measureSize(path) : await emptySize(`${storage.id} ${type}`, path);
        const defaultBranch = await backends[type].defaultBranch(path);
        return completeEmpty(tools, operation, { defaultBranch, sizeBytes });
      }
      const tip = await backends[type].tip(path);
      crashPoint('create.tip-read');
      await completeChange(tools, operation, { type, storagePath }, toStoredChangeset(tip));
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
