import { remoteFailureOf } from '../../vcs/remote/remote-error.ts';

/** Returns the text of a failure, with the reason when the remote or a limit is the cause. */
export function withRemoteFailure(text: string, error: unknown): string {
  const failure = remoteFailureOf(error);
  return failure ? `${text}: ${failure}` : text;
}
