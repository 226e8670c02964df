import type { PageName } from './identify.ts';
import type { Visit } from './visit.ts';

/** The audience of a page: every visitor that `identify` admits, users with a session or key, or administrators. */
export type Audience = 'anybody' | 'users' | 'administrators';

/** The handlers of one page: `get` renders the page, `post` takes the form on it. */
export interface PageRoute {
  readonly pageName: PageName;
  readonly audience: Audience;
  readonly get?: (visit: Visit) => Promise<Response>;
  readonly post?: (visit: Visit) => Promise<Response>;
  /** Returns the error to show for one that was thrown before `post`: in the layout of the page. */
  readonly framed?: (error: Error, visit: Visit) => Promise<unknown>;
}

/** Pages by their paths below /_admin; `*` in a path matches any one segment. */
export type RouteTable = Readonly<Record<string, PageRoute>>;
