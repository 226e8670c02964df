import { ForbiddenError } from '@trunkline/contracts';
import type { PageRoute } from '../page-route.ts';
import { SignInNeededError } from '../visitor/identify.ts';
import { groupRoute } from './list/group-route.tsx';
import { pageOfMissing } from './repository-route.ts';
import { showNothing } from './show-nothing.ts';

/**
 * The page at an address that names no repository: that of a group. Otherwise the answer is that of a hidden
 * repository's page at this address: a key for that view shows no group, and an anonymous visitor is sent to sign in.
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
