import type { EntityRef } from '@trunkline/contracts';
import { type Db, isForeignKeyViolation } from '@trunkline/db';
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
export function writingCall({ frame: { slot, deadline, request }, queueKey: key }: Call<WaitingSlot>): WritingCall {
  const msLeft = () => Math.max(0, deadline - answerMarginMs - performance.now());
  return { key, callerId: request.caller.userId, slot, msLeft };
}

/** Locks the repository that a call names, unless that is not to be had at once. */
export type FirstLock = (tx: Db, ref: EntityRef) => Promise<LockedRow | null>;

/**
 * Runs the transaction of a call: checks the caller's rights in it, and again each time that it is run. With `lock`, it
 * begins with this lock.
 */
export function transactAs<T>(
  call: Call<WaitingSlot>,
  act: (scope: WriteScope) => Promise<T>,
  lock?: FirstLock | null,
): Promise<T> {
  const { environment, ref } = call;
  const authorized = ofOneRepository(call.authorized, ref);
  return environment.transactions.run(writingCall(call), async (tx) => {
    // Both are sent at once: the rights are read when the row is locked.
    const [row, access] = await Promise.all([lock && ref ? lock(tx, ref) : null, authorized(tx)]);
    const locked = row && row.id === access.repository?.id ? row : null;
    return act({ db: tx, access, locked, authorize: () => authorized(tx) });
  });
}

/** Repeats an attempt once after a foreign-key violation: then it reports the object deleted in between as missing. */
export async function retryOnForeignKeyViolation<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    return attempt();
  }
}
