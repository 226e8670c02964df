import { VcsError } from '../vcs-error.ts';

/** A repository that was made elsewhere cannot be taken over as it is. The reason is for the log. */
export function notAdoptable(reason: string): VcsError {
  return new VcsError('not-adoptable', reason);
}
