import { operationKinds } from '@trunkline/db';
import { latencyBuckets, type CallMetrics } from '@trunkline/runtime';
import { Counter, Histogram } from 'prom-client';
import type { OperationKind } from '../../jobs/operations/claimed-operation.ts';
import { hasCode } from '../../has-code.ts';
import { ForeignStorageError, StorageFullError } from '../../storage/storage-errors.ts';
import { diskFailure } from '../../vcs/process/tool-failure.ts';
import { VcsError } from '../../vcs/vcs-error.ts';

/** Reasons for which operations fail, as labels of metrics. */
export const failureReasons = [
  'storage-full',
  'storage-read-only',
  'storage-missing',
  'remote',
  'timeout',
  'cancelled',
  'too-large',
  'unreadable',
  'other',
] as const;

export type FailureReason = (typeof failureReasons)[number];

function reasonOf(error: Error): FailureReason | undefined {
  const onDisk = diskFailure(error.message);
  if (onDisk) return onDisk;
  if (error instanceof StorageFullError || hasCode(error, 'ENOSPC', 'EDQUOT')) return 'storage-full';
  if (hasCode(error, 'EROFS')) return 'storage-read-only';
  if (error instanceof ForeignStorageError) return 'storage-missing';
  if (!(error instanceof VcsError)) return undefined;
  switch (error.kind) {
    case 'remote-failed':
    case 'remote-refused':
      return 'remote';
    case 'timeout':
    case 'cancelled':
    case 'too-large':
      return error.kind;
    case 'failed':
      return 'unreadable';
    default:
      return undefined;
  }
}

/** Returns the first reason found in an error or its causes. */
export function failureReason(error: unknown): FailureReason {
  for (let one = error; one instanceof Error; one = one.cause) {
    const reason = reasonOf(one);
    if (reason) return reason;
  }
  return 'other';
}

export interface FailureMetrics {
  operationDone(kind: OperationKind, seconds: number): void;
  operationFailed(kind: OperationKind, error: unknown): void;
  repositoryUnreadable(type: 'hg' | 'git'): void;
}

/** Creates the counters of failed operations and unreadable repositories. */
export function createFailureMetrics(registry: CallMetrics['registry']): FailureMetrics {
  const failed = new Counter({
    name: 'trunkline_operations_failed_total',
    help: 'Recorded operations that failed',
    labelNames: ['kind', 'reason'],
    registers: [registry],
  });
  const done = new Histogram({
    name: 'trunkline_operation_seconds',
    help: 'Time of the attempts with which operations have succeeded',
    labelNames: ['kind'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  const unreadable = new Counter({
    name: 'trunkline_unreadable_answers_total',
    help: 'Calls that failed because a repository could not be read',
    labelNames: ['type'],
    registers: [registry],
  });
  // From the beginning, so that the first failure is a change.
  for (const kind of operationKinds) for (const reason of failureReasons) failed.inc({ kind, reason }, 0);
  for (const type of ['hg', 'git']) unreadable.inc({ type }, 0);
  return {
    operationDone: (kind, seconds) => done.observe({ kind }, seconds),
    operationFailed: (kind, error) => failed.inc({ kind, reason: failureReason(error) }),
    repositoryUnreadable: (type) => unreadable.inc({ type }),
  };
}
