import { ForbiddenError, NotFoundError } from '@trunkline/contracts';
import type { Visit } from '../visit.ts';

const nothing = 'There is nothing at this address.';

/** The answer for a missing repository, which is the same for a hidden one, except for administrators. */
export async function showNothing({ visitor }: Visit): Promise<Response> {
  throw visitor.admin ? new NotFoundError(nothing) : new ForbiddenError('Access was denied to this resource.');
}

/** In a repository, whose page hides it from visitors who may not read it. */
export async function showNothingHere(): Promise<Response> {
  throw new NotFoundError(nothing);
}
