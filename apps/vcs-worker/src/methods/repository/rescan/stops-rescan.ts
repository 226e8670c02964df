import { ConflictError, OperationFailedError, RpcError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';

/** Whether an error is about more than the one repository at which it happened. */
export function stopsRescan(error: unknown): boolean {
  if (error instanceof OperationFailedError || error instanceof ConflictError) return false;
  return error instanceof RpcError || databaseFailure(error) !== undefined;
}

/** Why a repository was passed over, for the log. */
export function reasonOf(error: unknown): string {
  return String(error instanceof OperationFailedError && error.cause instanceof Error ? error.cause : error);
}
