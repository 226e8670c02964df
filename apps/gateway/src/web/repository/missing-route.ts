import { ForbiddenError } from '@trunkline/contracts';
import type { PageRoute } from '../page-route.ts';
import { SignInNeededError } from '../visitor/identify.ts';
import { groupRoute } from './list/group-route.tsx';
import { pageOfMissing } from './repository-route.ts';
import { showNothing } from './show-nothing.ts';

/**
 * The page at an address that names no repository: a group's. Otherwise it answers as the page of a hidden repository
 * would that the address may be of: a key that opens it sees no group by it, and who must sign in for it is sent there.
 */
export function missingRoute(segments: readonly string[]): PageRoute {
  if (segments.length === 0) return groupRoute;
  const page = pageOfMissing(segments);
  const { get = showNothing } = groupRoute;
  return {
    view: page?.view ?? groupRoute.view,
    audience: 'anybody',
    async get(visit) {
      const { kind } = visit.visitor.caller.credential;
      if (page && kind === 'key') return showNothing(visit);
      try {
        return await get(visit);
      } catch (error) {
        const isOfUsers = kind === 'anonymous' && page?.audience === 'users';
        throw isOfUsers && error instanceof ForbiddenError ? new SignInNeededError() : error;
      }
    },
    post: showNothing,
  };
}
