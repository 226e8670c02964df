import { accountRoutes } from './account/account-routes.ts';
import { administrationRoutes } from './admin/administration-routes.ts';
import { apiDocsPage } from './api-docs/api-docs-page.tsx';
import { activityRoutes } from './activity/activity-routes.ts';
import type { PageRoute, RouteTable } from './page-route.ts';
import { createRepositoryRoute } from './repository/create/create-repository-route.tsx';
import { toggleFollowingRoute } from './repository/follow/toggle-following-route.ts';

/** Pages below /_admin by their paths, without those for signing in and out. */
export const adminRoutes: RouteTable = {
  ...accountRoutes,
  ...administrationRoutes,
  ...activityRoutes,
  'api-docs': apiDocsPage,
  create_repository: createRepositoryRoute,
  toggle_following: toggleFollowingRoute,
};

const parsed = Object.entries(adminRoutes).map(([path, route]) => ({
  pattern: path === '' ? [] : path.split('/'),
  route,
}));

/** Returns the page at a path below /_admin, given as segments; undefined when there is none. */
export function adminRoute(segments: readonly string[]): PageRoute | undefined {
  const fits = (pattern: readonly string[]) =>
    pattern.length === segments.length && pattern.every((part, at) => part === '*' || part === segments[at]);
  return parsed.find(({ pattern }) => fits(pattern))?.route;
}
