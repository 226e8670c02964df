import { ConflictError, OperationFailedError, RpcError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';

/** Returns whether an error concerns more than one repository and so ends the rescan. */
export function stopsRescan(error: unknown): boolean {
  if (error instanceof OperationFailedError || error instanceof ConflictError) return false;
  return error instanceof RpcError || databaseFailure(error) !== undefined;
}

/** Returns the reason why a repository was skipped, for the log. */
export function reasonOf(error: unknown): string {
  return String(error instanceof OperationFailedError && error.cause instanceof Error ? error.cause : error);
}
