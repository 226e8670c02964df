import { BusyError, OperationFailedError, OutcomeUnknownError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { WaitingSlot } from '../admission/lane-slots.ts';
import { recordCall } from '../../domain/audit/audit-store.ts';
import { crashPoint } from '../../crash-points.ts';
import type { ClaimedOperation } from '../../jobs/operations/claimed-operation.ts';
import { RepositoryBusyError } from '../../jobs/operations/operation-store.ts';
import { hasEnded } from '../../jobs/operations/operation-end.ts';
import { type Call, requireRepositoryService } from './call.ts';
import { lockAtOnce } from '../../domain/repo/lock-repository.ts';
import { retryOnForeignKeyViolation, transactAs } from './transact-as.ts';
import { CheckedStorages } from '../../storage/checked-storages.ts';
import type { OperationScope, Strength, WriteScope } from '../../write-scope.ts';

type Reserve<T> = (scope: OperationScope) => Promise<T>;

/** Time before the call's deadline in which it does not wait any longer: for the last look and the answer. */
const answerMarginMs = 750;

interface Begun<T> {
  readonly reserved: T;
  readonly begun: ClaimedOperation[];
  /** Ids of the operations that other workers have to claim. */
  readonly unclaimed: ReadonlySet<string>;
}

/**
 * Begins operations in one transaction, which may begin with a lock on the repository that the call names, then runs them
 * to their end.
 */
export async function invokeOperation<T>(call: Call<WaitingSlot>, reserve: Reserve<T>, lock?: Strength): Promise<T> {
  const { signal, request } = call.frame;
  const { reserved, begun, unclaimed } = await beginWhenFree(call, reserve, lock);
  await requireRepositoryService(call).engine.runOperations(begun, signal);
  if (unclaimed.has(request.requestId)) await endOfUnclaimed(call);
  return reserved;
}

/** The same, but waits for the end `msMax` at most; then the operations go on without the call, and keep its slot. */
export async function invokeOperationWithin<T>(
  call: Call,
  msMax: number,
  reserve: Reserve<T>,
): Promise<{ reserved: T; ended: boolean }> {
  const { slot } = call.frame;
  const reserveKept: Reserve<T> = async (scope) => {
    if (!slot.claimToKeep()) throw new BusyError({ quota: 'operations' });
    return reserve(scope);
  };
  const { reserved, begun } = await beginWhenFree(call, reserveKept);
  const work = requireRepositoryService(call).engine.runOperations(begun);
  slot.keepFor(work);
  // While this worker was paused, another one may have ended the operation: a failed fork must not be reported as
  // running.
  const ended = (await endsWithin(work, msMax)) || (await endedElsewhere(call));
  return { reserved, ended };
}

/** Begins operations as soon as the repository is free. */
async function beginWhenFree<T>(call: Call<WaitingSlot>, reserve: Reserve<T>, lock?: Strength): Promise<Begun<T>> {
  const begun = await waitingForRepository(call, () => retryOnForeignKeyViolation(() => begin(call, reserve, lock)));
  if (call.audited) call.audited.recorded = true;
  if (begun.begun.length + begun.unclaimed.size > 0) crashPoint('begin.committed');
  if (begun.unclaimed.size > 0) call.environment.tools.wakeSweepers();
  return begun;
}

/** Begins operations in one transaction, on storages whose markers were read before it. */
async function begin<T>(call: Call<WaitingSlot>, reserve: Reserve<T>, lock: Strength | undefined): Promise<Begun<T>> {
  const checked = new CheckedStorages(requireRepositoryService(call).tools.storages, call.frame.request.storage);
  return checked.run((requireChecked) => beginOn(call, requireChecked, reserve, lock));
}

async function beginOn<T>(
  call: Call<WaitingSlot>,
  requireChecked: (operation: ClaimedOperation) => void,
  reserve: Reserve<T>,
  lock: Strength | undefined,
): Promise<Begun<T>> {
  const { frame, audited } = call;
  const { engine } = requireRepositoryService(call);
  const operationId = frame.request.requestId;
  const act = async ({ db: tx, access, locked, authorize }: WriteScope): Promise<Begun<T>> => {
    const begun: ClaimedOperation[] = [];
    const unclaimed = new Set<string>();
    let isRecorded = false;
    const named = access.repository?.id ?? null;
    // Operations on one repository run one after the other, but forks of one source side by side, up to the quota.
    if (named !== null && !frame.slot.claim(`operations of repository ${named}`))
      throw new BusyError({ quota: 'operations' });
    const hold = (claimed: ClaimedOperation) => {
      // What needs no bytes needs no storage either.
      if (!claimed.isLost) requireChecked(claimed);
      begun.push(claimed);
    };
    const beginOne: OperationScope['begin'] = async (operation) => {
      hold(await engine.begin(tx, { ...operation, actorId: access.user.id }));
    };
    const beginDeletions: OperationScope['beginDeletions'] = async (deletions, busyText) => {
      const claimed = await engine.beginDeletions(tx, deletions, { actorId: access.user.id, busyText });
      for (const operation of claimed) hold(operation);
      for (const { id, isClaimed } of deletions) if (!isClaimed) unclaimed.add(id);
    };
    const beginCreation: OperationScope['beginCreation'] = async (creation) => {
      if (!audited) throw new Error('a creation without an entry in the audit log');
      const claimed = await engine.beginCreation(tx, creation, { entry: audited, actor: access.user.username });
      if (!claimed) return null;
      requireChecked(claimed);
      begun.push(claimed);
      isRecorded = true;
      return claimed.repositoryId;
    };
    const begins = { begin: beginOne, beginCreation, beginDeletions };
    const reserved = await reserve({ db: tx, access, locked, authorize, operationId, ...begins });
    const ownOperation = begun.find(({ id }) => id === operationId);
    // The audit log gets the created repository, not the source of a fork, and of a family that moves the named one.
    const repositoryId = (ownOperation?.kind === 'move' ? named : ownOperation?.repositoryId) ?? named;
    if (repositoryId !== null) frame.noteRepository(repositoryId);
    if (audited && !isRecorded)
      await recordCall(tx, audited, ownOperation || unclaimed.has(operationId) ? 'running' : 'succeeded', {
        ...access.user,
        repositoryId,
      });
    if (begun.length > 0) crashPoint('begin.recorded');
    return { reserved, begun, unclaimed };
  };
  return transactAs(call, act, lock && ((tx, ref) => lockAtOnce(tx, ref, lock)));
}

/**
 * Waits until the workers that claim the call's operation have ended it, holding no slot meanwhile. Throws the client's
 * error when it has failed, or has not ended in time.
 */
async function endOfUnclaimed(call: Call<WaitingSlot>): Promise<void> {
  const { environment, frame } = call;
  const id = frame.request.requestId;
  const until = frame.deadline - answerMarginMs;
  try {
    frame.slot.releaseToWait(`operations of user ${frame.request.caller.userId}`);
  } catch (error) {
    // Too many calls wait. The operation goes on all the same, so that the call must not be run again.
    throw OutcomeUnknownError.of(id, error);
  }
  while (!(await endedElsewhere(call))) {
    const msLeft = until - performance.now();
    if (msLeft <= 0 || environment.stopping.aborted) throw OutcomeUnknownError.of(id);
    await environment.waitForOperationEnd({ kind: 'operation', id }, msLeft);
  }
}

/**
 * Returns whether the work ends within `msMax`; throws the work's error. The outcome of work that ends later is
 * recorded in the operation's row alone.
 */
async function endsWithin(work: Promise<void>, msMax: number): Promise<boolean> {
  return withTimeout(
    work.then(() => true),
    msMax,
    () => false,
  );
}

/**
 * Returns whether the call's operation has ended, by its row in the database. Throws the client's error when the
 * operation has failed.
 */
async function endedElsewhere({ environment: { db }, frame: { request } }: Call<WaitingSlot>): Promise<boolean> {
  try {
    return await hasEnded(db, request.requestId);
  } catch (error) {
    if (databaseFailure(error)) throw OutcomeUnknownError.of(request.requestId, error);
    throw error;
  }
}

/**
 * Repeats an attempt until the repository is free or the caller's time is up, holding neither slot nor transaction
 * meanwhile.
 */
async function waitingForRepository<T>(
  { environment: { waitForOperationEnd, stopping }, frame: { slot, deadline, clientGone } }: Call<WaitingSlot>,
  attempt: () => Promise<T>,
): Promise<T> {
  const msLeft = () => Math.max(0, deadline - performance.now());
  let busy: RepositoryBusyError | undefined;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof RepositoryBusyError) busy = error;
      // A call that has waited for the repository goes on waiting when a quota refuses its next attempt.
      if (!busy || (error !== busy && !(error instanceof BusyError))) throw error;
      slot.releaseToWait(`operations of repository ${busy.repositoryId}`);
      await waitForOperationEnd({ kind: 'repository', id: busy.repositoryId }, msLeft(), clientGone);
      clientGone?.throwIfAborted();
      // No operation has begun, so another worker may run the call.
      if (stopping.aborted) throw new BusyError({ cause: error });
      if (msLeft() === 0 || !(await slot.reacquire(msLeft()))) {
        throw new OperationFailedError(busy.clientText, { cause: error });
      }
    }
  }
}
