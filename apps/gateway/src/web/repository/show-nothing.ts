import { ForbiddenError, NotFoundError } from '@trunkline/contracts';
import type { Visit } from '../visit.ts';

const nothing = 'There is nothing at this address.';

/**
 * Throws the error for a missing repository: NotFoundError for administrators, from whom no repository is hidden, and
 * the ForbiddenError of a hidden repository for any other visitor.
 */
export async function showNothing({ visitor }: Visit): Promise<Response> {
  throw visitor.admin ? new NotFoundError(nothing) : new ForbiddenError('Access was denied to this resource.');
}

/**
 * Throws the error for a missing page of a repository; `repositoryPageError` hides repositories that may not be read.
 */
export async function showNothingHere(): Promise<Response> {
  throw new NotFoundError(nothing);
}
