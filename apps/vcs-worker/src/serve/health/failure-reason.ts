import { hasCode } from '../../has-code.ts';
import { ForeignStorageError } from '../../storage/foreign-storage-error.ts';
import { StorageFullError } from '../../storage/storage-full-error.ts';
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
