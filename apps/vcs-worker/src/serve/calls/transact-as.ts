import type { EntityRef } from '@trunkline/contracts';
import type { Db } from '@trunkline/db';
import type { WaitingSlot } from '../admission/lane-slots.ts';
import type { WritingCall } from '../admission/write-transactions.ts';
import { type Access, repositoryNotFound } from '../../authz/authorize.ts';
import type { Call } from './call.ts';
import type { LockedRow, WriteScope } from '../../write-scope.ts';

/** Time before the call's deadline in which no wait for a row goes on: for the last attempt, its commit and the answer. */
const answerMarginMs = 750;

/**
 * Wraps the check of rights for a transaction that may be run again: a name that has passed to another repository
 * since the first run names none.
 */
function ofOneRepository(authorized: Call['authorized'], ref: EntityRef | null): Call['authorized'] {
  let known: number | undefined;
  return async (db: Db): Promise<Access> => {
    const access = await authorized(db);
    if (!ref || !access.repository) return access;
    known ??= access.repository.id;
    if (access.repository.id !== known) throw repositoryNotFound(ref);
    return access;
  };
}

/** Returns what the queues and quotas of writes have to know about a call. */
function writingCall({ frame: { slot, deadline, request }, objectKey: key }: Call<WaitingSlot>): WritingCall {
  const msLeft = () => Math.max(0, deadline - answerMarginMs - performance.now());
  return { key, callerId: request.caller.userId, slot, msLeft };
}

/** What the transaction of a call does around the part of the handler. */
export interface Around<Scope extends WriteScope> {
  /** Locks the repository that the call names, unless that is not to be had at once. */
  readonly lock: ((tx: Db, ref: EntityRef) => Promise<LockedRow | null>) | null;
  /** Returns the scope for the handler's part. */
  readonly open: (scope: WriteScope) => Scope;
  /** Records what was done. */
  readonly record: (scope: Scope) => Promise<void>;
}

/**
 * Runs the transaction of a call: checks the caller's rights in it, and again each time that it is run. Where there is a
 * lock, it begins with this lock.
 */
export function transactAs<Scope extends WriteScope, T>(
  call: Call<WaitingSlot>,
  act: (scope: Scope) => Promise<T>,
  { lock, open, record }: Around<Scope>,
): Promise<{ readonly scope: Scope; readonly result: T }> {
  const { environment, ref } = call;
  const authorized = ofOneRepository(call.authorized, ref);
  return environment.transactions.transact(writingCall(call), async (tx) => {
    // Both are sent at once: the rights are read when the row is locked.
    const [row, access] = await Promise.all([lock && ref ? lock(tx, ref) : null, authorized(tx)]);
    const locked = row && row.id === access.repository?.id ? row : null;
    const scope = open({ db: tx, access, locked, authorize: () => authorized(tx) });
    const result = await act(scope);
    await record(scope);
    return { scope, result };
  });
}
