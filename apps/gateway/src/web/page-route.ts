import type { ViewName } from './visitor/view-names.ts';
import type { Visit } from './visit.ts';

/** The audience of a page: everybody who may see pages at all, users alone, or administrators alone. */
export type Audience = 'anybody' | 'users' | 'administrators';

/** One page, and the form on it. */
export interface PageRoute {
  readonly view: ViewName;
  readonly audience: Audience;
  readonly get?: (visit: Visit) => Promise<Response>;
  readonly post?: (visit: Visit) => Promise<Response>;
}

/** Pages by their path below /_admin; `*` stands for one segment of any kind. */
export type RouteTable = Readonly<Record<string, PageRoute>>;
