import type { RepositoryPage } from './repository-page.ts';
import { showNothingHere } from './show-nothing.ts';

/** Returns the page with "not found" for paths that have further segments after the page's own. */
export function withoutRest(page: RepositoryPage): RepositoryPage {
  const { get, post } = page;
  return {
    ...page,
    ...(get && { get: async (visit, address) => (address.rest.length > 0 ? showNothingHere() : get(visit, address)) }),
    ...(post && {
      post: async (visit, address) => (address.rest.length > 0 ? showNothingHere() : post(visit, address)),
    }),
  };
}
