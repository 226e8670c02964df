import { InternalError, UnavailableError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';

/** Rethrows the cause of a query error, without the outer error, whose message holds the parameters. */
export function rethrowFailure(thrown: unknown): never {
  const cause = thrown instanceof Error ? thrown.cause : thrown;
  throw databaseFailure(thrown) ? new UnavailableError({ cause }) : new InternalError({ cause });
}
