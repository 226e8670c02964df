import type { HttpBindings } from '@hono/node-server';
import type { Correlation } from '@trunkline/contracts';
import type { Context } from 'hono';

/** By what the log knows a request for a page. */
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
