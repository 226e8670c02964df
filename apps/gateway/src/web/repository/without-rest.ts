import type { RepositoryPage } from './repository-page.ts';
import { showNothing } from './show-nothing.ts';

/** A page whose address ends with its own word: behind it there is nothing. */
export function withoutRest(page: RepositoryPage): RepositoryPage {
  const { get, post } = page;
  return {
    ...page,
    ...(get && { get: async (visit, place) => (place.rest.length > 0 ? showNothing(visit) : get(visit, place)) }),
    ...(post && { post: async (visit, place) => (place.rest.length > 0 ? showNothing(visit) : post(visit, place)) }),
  };
}
