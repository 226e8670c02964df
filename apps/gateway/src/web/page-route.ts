import type { ViewName } from './visitor/view-names.ts';
import type { Visit } from './visit.ts';

/** Who may look: whoever may look at pages at all, only who is known by name, only administrators. */
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
