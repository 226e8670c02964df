import { KilledError } from '../process/tool-failure.ts';
import { VcsError, type VcsErrorKind } from '../vcs-error.ts';
import type { RemoteFailure } from './remote-failure.ts';
import { RemoteRefusedError } from './remote-refused-error.ts';

const kinds: Readonly<Partial<Record<RemoteFailure, VcsErrorKind>>> = {
  'address refused': 'remote-refused',
  'too large': 'too-large',
  'timed out': 'timeout',
};

/** A failed exchange with a remote; `failure` is the reason. The message is for the log and holds no credentials. */
export class RemoteError extends VcsError {
  readonly failure: RemoteFailure;

  constructor(failure: RemoteFailure, message: string, options?: ErrorOptions) {
    super(kinds[failure] ?? 'remote-failed', message, options);
    this.failure = failure;
  }
}

function failureOf(error: Error): RemoteFailure | null {
  if (error instanceof RemoteError) return error.failure;
  if (error instanceof RemoteRefusedError) return 'address refused';
  // The fetch was cancelled because the time limit of its call was exceeded.
  if (error.name === 'TimeoutError') return 'timed out';
  if (!(error instanceof VcsError) || error instanceof KilledError) return null;
  if (error.kind === 'timeout') return 'timed out';
  // An operation whose process was killed for its memory is not tried again, unlike a read.
  return error.kind === 'too-large' || error.kind === 'busy' ? 'too large' : null;
}

/** Returns the first reason in an error's chain of causes; null when this instance failed, not the remote. */
export function remoteFailureOf(error: unknown): RemoteFailure | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const failure = failureOf(one);
    if (failure) return failure;
  }
  return null;
}
