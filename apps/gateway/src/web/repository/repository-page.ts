import { ForbiddenError, NotFoundError } from '@trunkline/contracts';
import type { PageName } from '../identify.ts';
import type { Audience } from '../page-route.ts';
import type { Visit } from '../visit.ts';

/** The address of a repository's page: the repository's present name, and the segments after the page's own. */
export interface PageAddress {
  readonly repoid: number;
  readonly name: string;
  readonly rest: readonly string[];
}

/** A page of a repository; an absent `audience` means every visitor. */
export interface RepositoryPage {
  readonly pageName: PageName;
  readonly audience?: Audience;
  readonly get?: (visit: Visit, address: PageAddress) => Promise<Response>;
  readonly post?: (visit: Visit, address: PageAddress) => Promise<Response>;
}

const nothing = 'There is nothing at this address.';

/**
 * Throws the error for a missing repository: NotFoundError for administrators, from whom no repository is hidden, and
 * the ForbiddenError of a hidden repository for any other visitor.
 */
export async function throwNoRepository({ visitor }: Visit): Promise<never> {
  throw visitor.admin ? new NotFoundError(nothing) : new ForbiddenError('Access was denied to this resource.');
}

/**
 * Throws the error for a missing page of a repository; `repositoryPageError` hides repositories that may not be read.
 */
export async function throwNoPage(): Promise<never> {
  throw new NotFoundError(nothing);
}

/** Returns the page with "not found" for paths that have further segments after the page's own. */
export function withoutRest(page: RepositoryPage): RepositoryPage {
  const { get, post } = page;
  return {
    ...page,
    ...(get && { get: async (visit, address) => (address.rest.length > 0 ? throwNoPage() : get(visit, address)) }),
    ...(post && {
      post: async (visit, address) => (address.rest.length > 0 ? throwNoPage() : post(visit, address)),
    }),
  };
}
