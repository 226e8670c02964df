import type { PulledRecord } from '@trunkline/contracts';
import { auditLog, operations, repositories, type Transaction, openCloneUri } from '@trunkline/db';
import { and, eq, sql } from 'drizzle-orm';
import { pullFailureText, withRemoteFailure } from '../../domain/repo/failure-texts.ts';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation, OperationRunner } from '../operations/claimed-operation.ts';
import { hasTouched, recordTouched } from '../operations/operation-store.ts';
import { parseRemote } from '../../vcs/remote/parse-remote.ts';
import type { PulledReferences } from '../../vcs/backend.ts';
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
      const prunes = operation.request['prune'] === true;
      const { tip, pulled } = await withWriteLock(tools, operation, repository, async (path) => {
        await requireRecordedTip(backend, path, lastChangeset?.rawId ?? null);
        const beforeWriting = async () => {
          await transactions.runWithoutCall((tx) => recordTouched(tx, operation, worker));
          crashPoint('pull.touching');
          // Locks that exist while this attempt holds the write lock were left by a dead process.
          await backend.recover(path);
        };
        const pulled = await backend.pull(path, remote, signal, { report, beforeWriting, prunes });
        crashPoint('pull.fetched');
        await indexHistory(tools, operation, { type: repository.type, path }, signal);
        return { tip: toStoredChangeset(await backend.tip(path)), pulled };
      });
      crashPoint('pull.tip-read');
      const alsoRecord = (tx: Transaction) => recordPulled(tx, operation, pulled);
      await completeChange(tools, operation, repository, tip, { alsoRecord });
    },
    async undo(operation, error) {
      await finishOperation(tools, operation, { state: 'failed', error }, (tx) => recordInterruption(tx, operation));
    },
  };
}

/** Records what a pull has made of branches and tags, for `get_operation` and beside the arguments in the audit log. */
async function recordPulled(
  tx: Transaction,
  { id }: Pick<ClaimedOperation, 'id'>,
  pulled: PulledReferences | null,
): Promise<void> {
  if (pulled === null) return;
  const record: PulledRecord = {
    branches_added: pulled.branchesAdded,
    branches_moved: pulled.branchesMoved,
    branches_removed: pulled.branchesRemoved,
    tags_added: pulled.tagsAdded,
    tags_removed: pulled.tagsRemoved,
    tags_kept: pulled.tagsKept,
    left_out: pulled.leftOut,
  };
  const member = sql`${JSON.stringify({ pulled: record })}::text::jsonb`;
  await tx
    .update(operations)
    .set({ request: sql`${operations.request} || ${member}` })
    .where(eq(operations.id, id));
  await tx
    .update(auditLog)
    .set({ args: sql`${auditLog.args} || ${member}` })
    .where(eq(auditLog.requestId, id));
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
