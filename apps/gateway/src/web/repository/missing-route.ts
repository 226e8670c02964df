import { ForbiddenError } from '@trunkline/contracts';
import type { PageRoute } from '../page-route.ts';
import { SignInNeededError } from '../visitor/identify.ts';
import { groupRoute } from './list/group-route.tsx';
import { pageOfMissing } from './repository-route.ts';
import { showNothing } from './show-nothing.ts';

/**
 * Returns the page of the group at a path that names no repository. When there is no such group, the answer is that of
 * a hidden repository's page at this path, so that the two cannot be told apart: a visitor with an API key gets no
 * group at the path of such a page, and an anonymous visitor of a page for users is redirected to the sign-in page.
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
