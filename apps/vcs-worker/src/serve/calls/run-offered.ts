import { OutcomeUnknownError, type RpcError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import type { WaitingSlot } from '../admission/lane-slots.ts';
import { boundArgs } from '../../domain/audit/audited-call.ts';
import { recordError } from '../../domain/audit/refusal-store.ts';
import { hasEnded } from '../../jobs/operations/operation-end.ts';
import type { Call } from './call.ts';
import { invokeOperation } from './invoke-operation.ts';
import type { OperationScope, Strength } from '../../write-scope.ts';

/** An operation that begins in the middle of a transfer, after the call that has offered the transfer was answered. */
export interface OfferedOperation {
  /** Name of the operation in the audit log, and its arguments there. */
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How long it may wait for the repository, in milliseconds. */
  readonly msMax: number;
  /** Ends that wait: the client has left. */
  readonly clientGone: AbortSignal;
  /** Lock on the repository that the call names, with which the transaction may begin. */
  readonly lock: Strength;
  readonly reserve: (scope: OperationScope) => Promise<void>;
}

/** An operation that was refused in the middle of a transfer, with the client's error. */
export interface RefusedOperation extends Pick<OfferedOperation, 'method' | 'args'> {
  readonly error: RpcError;
}

/** The entry of what a call does or refuses after it was answered. */
function auditedAs({ frame: { request } }: Call, { method, args }: Pick<OfferedOperation, 'method' | 'args'>) {
  const { requestId, caller } = request;
  const { userId, ip } = caller;
  return { requestId, userId, ip, method, args: boundArgs(args), recorded: false };
}

/** The transfer keeps its slot while it waits: the slot bounds the bytes that have arrived, and their processes. */
const keptSlot: WaitingSlot = { claim: () => true, releaseToWait: () => {}, reacquire: async () => true };

/** Returns whether an operation has succeeded in spite of an error; throws OutcomeUnknownError while nobody knows. */
async function hasSucceeded({ environment, frame }: Call<WaitingSlot>, error: unknown): Promise<boolean> {
  try {
    return await hasEnded(environment.db, frame.request.requestId);
  } catch (cause) {
    if (databaseFailure(cause)) throw OutcomeUnknownError.of(frame.request.requestId, error);
    return false;
  }
}

/**
 * Checks the caller's rights anew, begins the operation in the same transaction, and runs it to its end. Throws the
 * client's error; OutcomeUnknownError when another worker takes the operation over.
 */
export async function runOffered(call: Call, operation: OfferedOperation): Promise<void> {
  const { msMax, clientGone, lock, reserve } = operation;
  const audited = auditedAs(call, operation);
  const deadline = performance.now() + msMax;
  const signal = new AbortController().signal;
  const frame = { ...call.frame, slot: keptSlot, deadline, signal, clientGone };
  const offered: Call<WaitingSlot> = { ...call, audited, frame };
  try {
    await invokeOperation(offered, { lock }, reserve);
  } catch (error) {
    if (error instanceof OutcomeUnknownError) throw error;
    if (audited.recorded && (await hasSucceeded(offered, error))) return;
    // Nothing has begun, and nobody is told.
    if (!audited.recorded && clientGone.aborted) throw error;
    await recordError(call.environment.transactions, audited, error);
    throw error;
  }
}

/** Records in the audit log that what a transfer was to do was refused before an operation began. */
export function recordRefused(call: Call, { error, ...entry }: RefusedOperation): Promise<void> {
  return recordError(call.environment.transactions, auditedAs(call, entry), error);
}
