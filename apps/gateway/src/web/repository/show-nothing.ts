import { ForbiddenError, NotFoundError } from '@trunkline/contracts';
import type { Visit } from '../visit.ts';

/** What is missing must not differ, for others than administrators, from what is hidden. */
export async function showNothing({ visitor }: Visit): Promise<Response> {
  throw visitor.admin
    ? new NotFoundError('There is nothing at this address.')
    : new ForbiddenError('Access was denied to this resource.');
}
