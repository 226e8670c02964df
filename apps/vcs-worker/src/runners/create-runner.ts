import { databaseTime } from '@trunkline/db';
import type { ClaimedOperation, OperationRunner, ReportProgress } from '../operations/claimed-operation.ts';
import { parseRemote } from '../vcs/remote/parse-remote.ts';
import { crashPoint } from '../crash-points.ts';
import { openCloneUri } from '../repo/clone-uri.ts';
import { toStoredChangeset } from '../repo/tip-store.ts';
import { creationFailureText } from '../repo/failure-texts.ts';
import {
  completeChange,
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

/**
 * Returns the runner that builds a repository in staging, empty or from its remote, and renames the complete repository
 * to its path.
 */
export function createRunner(tools: RunnerTools): OperationRunner {
  const { storages, backends, vault } = tools;

  const build = async (operation: ClaimedOperation, signal: AbortSignal, report: ReportProgress) => {
    const repository = await loadRepository(tools, operation);
    const backend = backends[repository.type];
    const storage = storages.of(operation);
    const staging = storage.staging(operation.id, operation.attempt);
    const cloneUri = openCloneUri(repository, vault);
    if (cloneUri === null) await backend.init(staging, repository.uuid);
    else {
      const remote = parseRemote(repository.type, cloneUri, { sshEnabled: tools.sshEnabled });
      await backend.importFrom(staging, repository.uuid, remote, signal, report);
      await indexHistory(tools, operation, { type: repository.type, path: staging }, signal);
    }
    crashPoint('create.built');
    await storage.publish(staging, repository.storagePath, signal);
  };

  return {
    restartable: true,
    failureText: (operation, error) =>
      creationFailureText(nameIn(operation), operation.kind === 'import' ? error : null),
    async run(operation, signal, report) {
      const { storagePath, type, cloneUri } = await loadRepository(tools, operation);
      const storage = storages.of(operation);
      // An earlier attempt may have ended after the rename, but before the rename was recorded.
      if (!(await storage.exists(storagePath))) await build(operation, signal, report);
      // An empty repository has no tip to read.
      const tip = cloneUri === null ? null : await backends[type].tip(storage.absolute(storagePath));
      crashPoint('create.tip-read');
      await completeChange(tools, operation, { type, storagePath }, toStoredChangeset(tip));
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
