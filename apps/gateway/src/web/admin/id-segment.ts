import { NotFoundError } from '@trunkline/contracts';
import type { Visit } from '../visit.ts';

/** Returns the id in a path such as `/_admin/users/7/edit`. Throws NotFoundError when that segment is no id. */
export function idSegment({ segments: [, , id = ''] }: Visit): number {
  if (!/^[0-9]{1,10}$/.test(id)) throw new NotFoundError('There is no such page.');
  return Number(id);
}
