import { parseRemote, type Remote, RemoteRefusedError } from '../../vcs/remote/parse-remote.ts';

/** Parses a remote location; throws `refuse`'s error for one that this type of repository cannot be cloned from. */
export function parseCloneUri(
  type: 'hg' | 'git',
  cloneUri: string,
  options: { sshEnabled: boolean },
  refuse: (reason: string) => Error,
): Remote {
  try {
    return parseRemote(type, cloneUri, options);
  } catch (error) {
    throw error instanceof RemoteRefusedError ? refuse(`clone_uri ${error.message}`) : error;
  }
}
