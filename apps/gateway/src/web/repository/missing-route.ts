import type { PageRoute } from '../page-route.ts';
import { groupRoute } from './list/group-route.tsx';
import { viewOfMissing } from './repository-route.ts';
import { showNothing } from './show-nothing.ts';

/**
 * The page at an address that names no repository: a group's. A key that opens the view which the address would be of
 * hears that there is nothing, but sees no group by it.
 */
export function missingRoute(segments: readonly string[]): PageRoute {
  const view = viewOfMissing(segments);
  if (view === null) return groupRoute;
  const { get = showNothing } = groupRoute;
  return {
    ...groupRoute,
    view,
    get: async (visit) => (visit.visitor.caller.credential.kind === 'key' ? showNothing(visit) : get(visit)),
  };
}
