import type { Transaction } from '@trunkline/db';
import type { ClaimedOperation, Executor } from '../../journal/claimed-operation.ts';
import { parseRemote } from '../../vcs/remote/parse-remote.ts';
import { openCloneUri } from '../clone-uri.ts';
import { creationFailureText } from '../creation-failure.ts';
import { removeRepository } from '../deletion-store.ts';
import { removeEmptyGroups } from '../repo-group-store.ts';
import { completeChange, endWith, loadRepository, nameIn, type ExecutorTools } from './executor-tools.ts';

function createdGroupIds(operation: ClaimedOperation): number[] {
  const ids = operation.request['createdGroupIds'];
  return Array.isArray(ids) ? ids.filter((id): id is number => typeof id === 'number') : [];
}

/** A repository that could not be made leaves nothing: no bytes, no row, no name, none of the groups made for it. */
export async function undoCreation(tools: ExecutorTools, operation: ClaimedOperation, error: string): Promise<void> {
  const { storage } = tools;
  const { storagePath } = await loadRepository(tools, operation);
  const groupIds = createdGroupIds(operation);
  const remove = async (tx: Transaction) => {
    // Only whoever holds the operation may touch what it built: another attempt may have finished it.
    await storage.clearStaging(operation.id);
    if (await storage.exists(storagePath)) await storage.trash(storagePath, operation.id);
    await removeRepository(tx, operation.repositoryId);
    await removeEmptyGroups(tx, groupIds);
  };
  await endWith(tools, operation, { state: 'failed', error }, remove, groupIds);
}

/** Builds a repository, empty or from its remote, beside the others and moves it into place when it is whole. */
export function createExecutor(tools: ExecutorTools): Executor {
  const { storage, backends, vault } = tools;

  const build = async (operation: ClaimedOperation, signal: AbortSignal) => {
    const repository = await loadRepository(tools, operation);
    const backend = backends[repository.type];
    const staging = storage.staging(operation.id, operation.attempt);
    const cloneUri = openCloneUri(repository, vault);
    if (cloneUri === null) await backend.init(staging, repository.uuid);
    else {
      const remote = parseRemote(repository.type, cloneUri, { sshEnabled: tools.sshEnabled });
      await backend.importFrom(staging, repository.uuid, remote, signal);
    }
    signal.throwIfAborted();
    await storage.publish(staging, repository.storagePath);
  };

  return {
    restartable: true,
    failureText: (operation, error) => creationFailureText(nameIn(operation), error),
    async run(operation, signal) {
      const { storagePath, type } = await loadRepository(tools, operation);
      // An earlier attempt may have ended between the move and its record.
      if (!(await storage.exists(storagePath))) await build(operation, signal);
      await completeChange(tools, operation, await backends[type].tip(storage.absolute(storagePath)));
    },
    undo: (operation, error) => undoCreation(tools, operation, error),
  };
}
