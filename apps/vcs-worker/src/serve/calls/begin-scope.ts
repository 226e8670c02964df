import { BusyError } from '@trunkline/contracts';
import type { WaitingSlot } from '../admission/lane-slots.ts';
import { crashPoint } from '../../crash-points.ts';
import { recordCall } from '../../domain/audit/audit-store.ts';
import type { ClaimedOperation } from '../../jobs/operations/claimed-operation.ts';
import type { CheckedStorages } from '../../storage/checked-storages.ts';
import type { OperationScope, WriteScope } from '../../write-scope.ts';
import { type Call, requireRepositoryService } from './call.ts';

/** The scope in which a call begins operations, with those that it has begun. */
export interface BeginScope extends OperationScope {
  /** Operations that this worker holds, in the order of their beginning. */
  readonly begun: readonly ClaimedOperation[];
  /** Ids of the operations that other workers have to claim. */
  readonly unclaimed: ReadonlySet<string>;
}

/**
 * Opens the scope in which a call begins operations. Those on one repository run one after the other, but forks of one
 * source side by side, up to the quota.
 */
export function openBeginScope(call: Call<WaitingSlot>, checked: CheckedStorages, scope: WriteScope): BeginScope {
  const { audited, frame } = call;
  const { db: tx, access } = scope;
  const { engine } = requireRepositoryService(call);
  const named = access.repository?.id ?? null;
  if (named !== null && !frame.slot.claim(`operations of repository ${named}`)) {
    throw new BusyError({ quota: 'operations' });
  }
  const begun: ClaimedOperation[] = [];
  const unclaimed = new Set<string>();
  const hold = (claimed: ClaimedOperation) => {
    // What needs no bytes needs no storage either.
    if (!claimed.isLost) checked.requireChecked(claimed);
    begun.push(claimed);
  };
  return {
    ...scope,
    operationId: frame.request.requestId,
    begun,
    unclaimed,
    async begin(operation) {
      hold(await engine.begin(tx, { ...operation, actorId: access.user.id }));
    },
    async beginDeletions(deletions, busyText) {
      const claimed = await engine.beginDeletions(tx, deletions, { actorId: access.user.id, busyText });
      for (const operation of claimed) hold(operation);
      for (const { id, isClaimed } of deletions) if (!isClaimed) unclaimed.add(id);
    },
    async beginCreation(creation) {
      if (!audited) throw new Error('a creation without an entry in the audit log');
      hold(await engine.beginCreation(tx, creation, { entry: audited, actor: access.user.username }));
    },
  };
}

/** Records in the audit log that a call has begun its operations, or had none to begin. */
export async function recordBegun(
  { audited, frame }: Call<WaitingSlot>,
  { db, access, operationId, begun, unclaimed }: BeginScope,
): Promise<void> {
  const named = access.repository?.id ?? null;
  const ownOperation = begun.find(({ id }) => id === operationId);
  // The audit log gets the created repository, not the source of a fork, and of a family that moves the named one.
  const repositoryId = (ownOperation?.kind === 'move' ? named : ownOperation?.repositoryId) ?? named;
  if (repositoryId !== null) frame.noteRepository(repositoryId);
  // The beginning of a creation has recorded the call.
  if (audited && !ownOperation?.created) {
    const outcome = ownOperation || unclaimed.has(operationId) ? 'running' : 'succeeded';
    await recordCall(db, audited, outcome, { ...access.user, repositoryId });
  }
  if (begun.length > 0) crashPoint('begin.recorded');
}
