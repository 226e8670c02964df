import {
  ConflictError,
  ForbiddenError,
  InternalError,
  InvalidArgsError,
  InvalidRequestError,
  NotFoundError,
  OperationFailedError,
  type RpcError,
} from '@trunkline/contracts';
import type { Visit } from '../visit.ts';
import { readHead, type RepositoryHead } from './head/repository-head.ts';
import type { PageAddress } from './repository-page.ts';

/** An error of a page of a repository that the visitor may read: it is shown below the repository's name and tabs. */
export class RepositoryPageError extends Error {
  override readonly name = 'RepositoryPageError';
  readonly visit: Visit;
  readonly repository: RepositoryHead;

  constructor(visit: Visit, repository: RepositoryHead, cause: RpcError) {
    super(cause.message, { cause });
    this.visit = visit;
    this.repository = repository;
  }
}

/** Errors by which a visitor who may not read the repository could tell that it exists. */
const telling = [NotFoundError, InvalidArgsError, InvalidRequestError];
/** The others after which the repository can be expected to be readable. */
const harmless = [ForbiddenError, ConflictError, OperationFailedError, InternalError];

const isOneOf = (kinds: readonly (abstract new (...args: never[]) => RpcError)[], error: unknown): error is RpcError =>
  kinds.some((kind) => error instanceof kind);

/**
 * The error with the repository's head, for a visitor who may read that. Others get the answer of a repository that
 * does not exist, whatever else is wrong with their request.
 */
export async function repositoryPageError(error: unknown, visit: Visit, address: PageAddress): Promise<unknown> {
  if (isOneOf(telling, error)) return new RepositoryPageError(visit, await readHead(visit, address), error);
  if (!isOneOf(harmless, error)) return error;
  const repository = await readHead(visit, address).catch(() => null);
  return repository ? new RepositoryPageError(visit, repository, error) : error;
}
