import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

export interface WebEnvironment {
  Bindings: HttpBindings;
}

export type WebContext = Context<WebEnvironment>;
