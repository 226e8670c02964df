import { repositories, type Transaction, openCloneUri } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { pullFailureText, withRemoteFailure } from '../../domain/repo/failure-texts.ts';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { hasTouched, recordTouched } from '../operations/operation-store.ts';
import { parseRemote } from '../../vcs/remote/parse-remote.ts';
import { requireRecordedTip, toStoredChangeset } from '../../domain/repo/recorded-state.ts';
import {
  completeChange,
  finishOperation,
  indexHistory,
  loadRepository,
  nameIn,
  withWriteLock,
  type RunnerTools,
} from './runner-tools.ts';
import { repairRepository } from './repair-repository.ts';

/**
 * Returns the runner that fetches new changesets from the remote. An interrupted pull is not run again: its client got
 * an answer long ago.
 */
export function pullRunner(tools: RunnerTools): OperationRunner {
  const { transactions, worker, backends, vault } = tools;
  return {
    restartable: false,
    failureText: (operation, error) => withRemoteFailure(pullFailureText(nameIn(operation)), error),
    async runAttempt(operation, signal, report) {
      const repository = await loadRepository(tools, operation);
      const backend = backends[repository.type];
      const lastChangeset = repository.needsRecovery
        ? await repairRepository(tools, operation, repository)
        : repository.lastChangeset;
      const cloneUri = openCloneUri(repository, vault);
      if (cloneUri === null) throw new Error('the repository has no remote location');
      const remote = parseRemote(repository.type, cloneUri, { sshEnabled: tools.sshEnabled });
      const tip = await withWriteLock(tools, operation, repository, async (path) => {
        await requireRecordedTip(backend, path, lastChangeset?.rawId ?? null);
        const beforeWriting = async () => {
          await transactions.runWithoutCall((tx) => recordTouched(tx, operation, worker));
          crashPoint('pull.touching');
          // Locks that exist while this attempt holds the write lock were left by a dead process.
          await backend.recover(path);
        };
        await backend.pull(path, remote, signal, { report, beforeWriting });
        crashPoint('pull.fetched');
        await indexHistory(tools, operation, { type: repository.type, path }, signal);
        return toStoredChangeset(await backend.tip(path));
      });
      crashPoint('pull.tip-read');
      await completeChange(tools, operation, repository, tip);
    },
    async undo(operation, error) {
      await finishOperation(tools, operation, { state: 'failed', error }, (tx) => recordInterruption(tx, operation));
    },
  };
}

/** Records that the repository has to be repaired: a pull that has touched bytes may have written some changesets. */
export async function recordInterruption(
  tx: Transaction,
  operation: Pick<ClaimedOperation, 'id' | 'repositoryId'>,
): Promise<void> {
  await tx
    .update(repositories)
    .set({ needsRecovery: true, generation: sql`${repositories.generation} + 1` })
    .where(and(eq(repositories.id, operation.repositoryId), hasTouched(operation)));
}
