import { VcsError } from '../vcs-error.ts';

/** Returns the error for a repository that cannot be adopted as it is. The reason is for the log. */
export function notAdoptable(reason: string): VcsError {
  return new VcsError('not-adoptable', reason);
}
