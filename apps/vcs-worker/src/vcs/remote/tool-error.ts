import { withoutLogin } from '../process/without-login.ts';
import { withoutProgress } from '../progress.ts';
import { VcsError } from '../vcs-error.ts';
import { RemoteError } from './remote-error.ts';
import { failureInText, type RemoteFailure } from './remote-failure.ts';
import type { Remote } from './remote.ts';

/** The error of a tool that talked to a remote; what the egress guard knows of its connections goes before its output. */
export function toolError(what: string, stderr: string, remote: Remote, known: RemoteFailure | null): VcsError {
  const text = withoutProgress(stderr);
  // Masking comes after: a short password may be part of the words that tell the reason.
  const failure = known ?? failureInText(text, remote);
  const message = `${what}: ${withoutLogin(text, remote)}`;
  return failure ? new RemoteError(failure, message) : new VcsError('failed', message);
}
