import {
  AuthenticationError,
  BusyError,
  OutcomeUnknownError,
  toRpcError,
  UnavailableError,
  WrongStorageError,
} from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import type { WriteTransactions } from '../../serve/admission/write-transactions.ts';
import type { AuditedCall } from './audited-call.ts';
import { recordFailure } from './audit-store.ts';
import { recordRefusal } from './refusal-store.ts';

/** Time for which recording a refusal may delay the answer, when rows are locked. */
const recordMsMax = 2_000;

/** Records a failed call in the audit log, unless its caller is unknown or the call was not tried. */
export async function recordError(
  transactions: WriteTransactions,
  audited: AuditedCall,
  thrown: unknown,
): Promise<void> {
  if (databaseFailure(thrown)) return;
  const error = toRpcError(thrown);
  // The outcome of an operation that another worker takes over is recorded by that worker.
  const unrecorded = [AuthenticationError, BusyError, OutcomeUnknownError, UnavailableError, WrongStorageError];
  if (unrecorded.some((kind) => error instanceof kind)) return;
  // The client gets the refusal, even when recording it fails.
  const record = audited.recorded ? recordFailure : recordRefusal;
  const recording = transactions.runWithoutCall((tx) => record(tx, audited, error.message), recordMsMax);
  await Promise.allSettled([recording]);
}
