import { BusyError, OperationFailedError, OutcomeUnknownError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { withTimeout } from '@trunkline/runtime/concurrency';
import type { Slot, WaitingSlot } from '../admission/lane-slots.ts';
import { crashPoint } from '../../crash-points.ts';
import { RepositoryBusyError } from '../../jobs/operations/operation-store.ts';
import { hasEnded } from '../../jobs/operations/operation-end.ts';
import { type BeginScope, openBeginScope, recordBegun } from './begin-scope.ts';
import { type Call, requireRepositoryService } from './call.ts';
import { lockAtOnce } from '../../domain/repo/lock-repository.ts';
import { type Around, transactAs } from './transact-as.ts';
import { CheckedStorages } from '../../storage/checked-storages.ts';
import type { OperationScope, Strength } from '../../write-scope.ts';

/** Time before the call's deadline in which it does not wait any longer: for the last look and the answer. */
const answerMarginMs = 750;

interface OperationOptions {
  /** Lock on the repository that the call names, with which the transaction may begin. */
  readonly lock?: Strength | undefined;
  /** How long the call waits for the end: after that its operations go on without it, and keep its slot. */
  readonly background?: { readonly msMax: number; readonly slot: Slot } | null;
}

/**
 * Begins operations in one transaction, on storages whose markers were read before it and as soon as the repository is
 * free, then runs them to their end.
 */
export async function invokeOperation<T>(
  call: Call<WaitingSlot>,
  { lock, background = null }: OperationOptions,
  reserve: (scope: OperationScope) => Promise<T>,
): Promise<{ readonly reserved: T; readonly ended: boolean }> {
  const { signal, request } = call.frame;
  const { tools, engine } = requireRepositoryService(call);
  const openStorages = () => CheckedStorages.open(tools.storages, request.storage);
  let checked = await openStorages();
  const around: Around<BeginScope> = {
    lock: lock ? (tx, ref) => lockAtOnce(tx, ref, lock) : null,
    open(scope) {
      const opened = openBeginScope(call, checked, scope);
      if (background && !background.slot.claimToKeep()) throw new BusyError({ quota: 'operations' });
      return opened;
    },
    record: (scope) => recordBegun(call, scope),
  };
  let busy: RepositoryBusyError | null = null;
  let begun: { readonly scope: BeginScope; readonly result: T } | null = null;
  while (!begun) {
    try {
      begun = await transactAs(call, reserve, around);
    } catch (error) {
      if (await checked.readMissing(error)) continue;
      busy = await waitUntilFree(call, error, busy);
      checked = await openStorages();
    }
  }
  const { scope, result: reserved } = begun;
  tellBegun(call, scope);
  if (background) return { reserved, ended: await endsInTime(call, engine.runOperations(scope.begun), background) };
  await engine.runOperations(scope.begun, signal);
  if (scope.unclaimed.has(request.requestId)) await endOfUnclaimed(call);
  return { reserved, ended: true };
}

function tellBegun({ audited, environment }: Call<WaitingSlot>, { begun, unclaimed }: BeginScope): void {
  if (audited) audited.recorded = true;
  if (begun.length + unclaimed.size > 0) crashPoint('begin.committed');
  if (unclaimed.size > 0) environment.tools.wakeSweepers();
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
 * Returns whether operations end within `msMax`; throws their error. The outcome of those that end later is recorded in
 * their rows alone.
 */
async function endsInTime(
  call: Call<WaitingSlot>,
  work: Promise<void>,
  { msMax, slot }: { readonly msMax: number; readonly slot: Slot },
): Promise<boolean> {
  slot.keepFor(work);
  const ended = await withTimeout(
    work.then(() => true),
    msMax,
    () => false,
  );
  // While this worker was paused, another one may have ended the operation: a failed fork must not be reported as
  // running.
  return ended || endedElsewhere(call);
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
 * Waits until the repository may be free on which an attempt has found another operation, holding neither slot nor
 * transaction meanwhile; returns the error that says so. Throws every other error, and the client's when the time is up.
 */
async function waitUntilFree(
  { environment: { waitForOperationEnd, stopping }, frame: { slot, deadline, clientGone } }: Call<WaitingSlot>,
  error: unknown,
  known: RepositoryBusyError | null,
): Promise<RepositoryBusyError> {
  const msLeft = () => Math.max(0, deadline - performance.now());
  const busy = error instanceof RepositoryBusyError ? error : known;
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
  return busy;
}
