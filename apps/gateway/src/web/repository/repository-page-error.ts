import {
  BusyError,
  ConflictError,
  ForbiddenError,
  InternalError,
  InvalidArgsError,
  InvalidRequestError,
  NotFoundError,
  OperationFailedError,
  type RpcError,
  UnavailableError,
} from '@trunkline/contracts';
import type { Child } from 'hono/jsx';
import type { Visit } from '../visit.ts';
import { isErrorOfHead, readHead, type RepositoryHead } from './repository-head.ts';
import type { PageAddress } from './repository-page.ts';

/** An error on a page of a repository that the visitor may read, shown below the repository's name and tabs. */
export class RepositoryPageError extends Error {
  override readonly name = 'RepositoryPageError';
  readonly visit: Visit;
  readonly repository: RepositoryHead;
  /** Shown below the text of the error. */
  readonly note: Child;

  constructor(visit: Visit, repository: RepositoryHead, cause: RpcError, note: Child = null) {
    super(cause.message, { cause });
    this.visit = visit;
    this.repository = repository;
    this.note = note;
  }
}

/** Errors by which a visitor who may not read the repository could tell that it exists. */
const revealingErrors = [NotFoundError, InvalidArgsError, InvalidRequestError];
/** Other errors, after which the repository can be expected to be readable. */
const otherErrors = [ForbiddenError, ConflictError, OperationFailedError, InternalError];

/** Errors before any rights were read, such as that of a storage that is away: they keep their own page. */
const errorsBeforeRights = [BusyError, UnavailableError];

const isOneOf = (kinds: readonly (abstract new (...args: never[]) => RpcError)[], error: unknown): error is RpcError =>
  kinds.some((kind) => error instanceof kind);

/**
 * Returns the error with the repository's head, for a visitor who may read the repository. For any other visitor,
 * throws the error of `readHead`, that of a repository that does not exist, in place of an error that would reveal the
 * repository.
 */
export async function repositoryPageError(error: unknown, visit: Visit, address: PageAddress): Promise<unknown> {
  if (isOneOf(revealingErrors, error)) return new RepositoryPageError(visit, await readHead(visit, address), error);
  if (isOneOf(errorsBeforeRights, error) && !isErrorOfHead(error)) {
    await readHead(visit, address).catch((hidden: unknown) => {
      if (hidden instanceof ForbiddenError) throw hidden;
    });
    return error;
  }
  if (!isOneOf(otherErrors, error)) return error;
  const repository = await readHead(visit, address).catch(() => null);
  return repository ? new RepositoryPageError(visit, repository, error) : error;
}
