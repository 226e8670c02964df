import { ForbiddenError, NotFoundError } from '@trunkline/contracts';
import type { Visit } from '../visit.ts';

/** The answer for a missing repository, which is the same for a hidden one, except for administrators. */
export async function showNothing({ visitor }: Visit): Promise<Response> {
  throw visitor.admin
    ? new NotFoundError('There is nothing at this address.')
    : new ForbiddenError('Access was denied to this resource.');
}
