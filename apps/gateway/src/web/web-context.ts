import type { HttpBindings } from '@hono/node-server';
import type { Correlation } from '@trunkline/contracts';
import type { Context } from 'hono';

/** Ids that identify a request for a page in the log. */
export interface VisitIds extends Correlation {
  readonly requestId: string;
}

export interface WebEnvironment {
  Bindings: HttpBindings;
}

export interface PageEnvironment extends WebEnvironment {
  Variables: { ids: VisitIds };
}

export type WebContext = Context<PageEnvironment>;
