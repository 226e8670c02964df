import type { Audience } from '../page-route.ts';
import type { PageName } from '../visitor/page-names.ts';
import type { Visit } from '../visit.ts';

/** The address of a repository's page: the repository's present name, and the segments after the page's own. */
export interface PageAddress {
  readonly repoid: number;
  readonly name: string;
  readonly rest: readonly string[];
}

/** A page of a repository; an absent `audience` means every visitor. */
export interface RepositoryPage {
  readonly view: PageName;
  readonly audience?: Audience;
  readonly get?: (visit: Visit, address: PageAddress) => Promise<Response>;
  readonly post?: (visit: Visit, address: PageAddress) => Promise<Response>;
}
