import { OutcomeUnknownError, RpcError, UnavailableError, WrongStorageError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';
import { diskText } from '../../domain/repo/failure-texts.ts';
import { VcsError } from '../../vcs/vcs-error.ts';
import { PushRefusedError } from '../../vcs/push.ts';

/** Returns the client's text for a repository that is elsewhere since the push has begun. */
export function movedText(name: string): string {
  return `Repository \`${name}\` was moved meanwhile, push again`;
}

/** Returns the refusal that a client is told for an error; null when the outcome is unknown, or the error unexpected. */
export function refusalOf(error: unknown, name: string): PushRefusedError | null {
  if (error instanceof PushRefusedError) return error;
  if (error instanceof OutcomeUnknownError) return null;
  if (error instanceof WrongStorageError) return new PushRefusedError(movedText(name), { cause: error });
  if (error instanceof RpcError) {
    return error.cause instanceof PushRefusedError
      ? error.cause
      : new PushRefusedError(error.message, { cause: error });
  }
  const onDisk = diskText(error);
  if (onDisk !== undefined) return new PushRefusedError(onDisk, { cause: error });
  if (error instanceof VcsError && error.kind === 'busy') {
    return new PushRefusedError('the service is busy, push again later', { cause: error });
  }
  // Git could not read the repository, which is no fault of the client.
  if (error instanceof VcsError) return new PushRefusedError('the push could not be checked', { cause: error });
  if (databaseFailure(error)) return new PushRefusedError(new UnavailableError().message, { cause: error });
  return null;
}
