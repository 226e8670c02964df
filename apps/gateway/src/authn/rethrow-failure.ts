import { InternalError, UnavailableError } from '@trunkline/contracts';
import { databaseFailure } from '@trunkline/db';

/** Throws a database error on without the outer one, whose text holds the parameters. */
export function rethrowFailure(thrown: unknown): never {
  const cause = thrown instanceof Error ? thrown.cause : thrown;
  throw databaseFailure(thrown) ? new UnavailableError({ cause }) : new InternalError({ cause });
}
