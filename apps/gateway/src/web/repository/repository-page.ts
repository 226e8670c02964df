import type { Audience } from '../page-route.ts';
import type { ViewName } from '../visitor/view-names.ts';
import type { Visit } from '../visit.ts';

/** The address of a repository's page: the present name, and the segments after the view's word. */
export interface PageAddress {
  readonly repoid: number;
  readonly name: string;
  readonly rest: readonly string[];
}

/** A page below a repository's address. */
export interface RepositoryPage {
  readonly view: ViewName;
  readonly audience?: Audience;
  readonly get?: (visit: Visit, address: PageAddress) => Promise<Response>;
  readonly post?: (visit: Visit, address: PageAddress) => Promise<Response>;
}
