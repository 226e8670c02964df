import { parseRemote } from '../vcs/remote/parse-remote.ts';
import { RemoteRefusedError } from '../vcs/remote/remote-refused-error.ts';

/** Refuses a remote location that the type of repository cannot be copied from, before anything is made. */
export function checkCloneUri(
  type: 'hg' | 'git',
  cloneUri: string,
  options: { sshEnabled: boolean },
  refuse: (reason: string) => Error,
): void {
  try {
    parseRemote(type, cloneUri, options);
  } catch (error) {
    throw error instanceof RemoteRefusedError ? refuse(`clone_uri ${error.message}`) : error;
  }
}
