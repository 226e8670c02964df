import { InternalError, UnavailableError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';

/** Wraps the cause of a query error in an RpcError; drops the outer error, whose message holds the parameters. */
export function throwAsRpcError(thrown: unknown): never {
  const cause = thrown instanceof Error ? thrown.cause : thrown;
  throw databaseFailure(thrown) ? new UnavailableError({ cause }) : new InternalError({ cause });
}
