import { BusyError, InvalidRequestError, OperationFailedError, UnavailableError } from '@trunkline/contracts';
import type { Storage } from '../../storage/storage.ts';
import { MalformedRequestError } from '../../vcs/git/protocol/upload-pack.ts';
import { VcsError } from '../../vcs/vcs-error.ts';

/**
 * Returns the client's error. No repository is noted as unreadable, since git may fail for a malformed request in the
 * same way as for a damaged repository.
 */
export async function clientError(error: unknown, storage: Pick<Storage, 'isOurs'>): Promise<unknown> {
  if (!(error instanceof VcsError)) return error;
  if (error instanceof MalformedRequestError)
    return new InvalidRequestError('The request is malformed', { cause: error });
  if (error.kind === 'busy') return new BusyError({ quota: 'memory', cause: error });
  const isAway = error.kind === 'timeout' || error.kind === 'cancelled' || !(await storage.isOurs());
  if (isAway) return new UnavailableError({ cause: error });
  return new OperationFailedError('The repository cannot be read, or the request is malformed', { cause: error });
}
