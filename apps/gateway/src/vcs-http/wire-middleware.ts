import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { MiddlewareHandler } from 'hono';
import { pageOfMissing } from '../web/repository/repository-route.ts';
import type { WebEnvironment } from '../web/web-context.ts';
import { parseWireAddress } from './wire-address.ts';
import { createWireEndpoint, type WireTools } from './wire-endpoint.ts';

/** Answers the requests of git and Mercurial clients; all others are left to the pages. */
export function wireMiddleware(tools: WireTools): MiddlewareHandler<WebEnvironment> {
  const answer = createWireEndpoint(tools);
  return async (c, next) => {
    const address = parseWireAddress(c.env.incoming, (segments) => pageOfMissing(segments) !== null);
    if (!address) return next();
    await answer(address, c.env);
    return RESPONSE_ALREADY_SENT;
  };
}
