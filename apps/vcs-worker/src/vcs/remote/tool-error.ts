import { withoutLogin } from '../process/without-login.ts';
import { withoutProgress } from '../progress.ts';
import { VcsError } from '../vcs-error.ts';
import { RemoteError } from './remote-error.ts';
import { failureInText, type RemoteFailure } from './remote-failure.ts';
import type { Remote } from './remote.ts';

/** Returns the error of a tool that failed on a remote; `known`, the egress guard's reason, overrides `stderr`. */
export function toolError(what: string, stderr: string, remote: Remote, known: RemoteFailure | null): VcsError {
  const text = withoutProgress(stderr);
  // The reason is searched before the login is masked: a short password may be part of the words that are searched.
  const failure = known ?? failureInText(text, remote);
  const message = `${what}: ${withoutLogin(text, remote)}`;
  return failure ? new RemoteError(failure, message) : new VcsError('failed', message);
}
