import { NotFoundError } from '@trunkline/contracts';
import { errorResponse } from './error-response.tsx';
import { queryOf, type PageTools } from './run-page.ts';
import { identify } from './visitor/identify.ts';
import { sentKey } from './visitor/sent-key.ts';
import type { Visitor } from './visitor/visitor.ts';
import type { WebContext } from './web-context.ts';

const view = 'HomeController:not_found';

/** The visitor for the page's heading; null where it is not known, for whatever reason. */
async function findVisitor(tools: PageTools, c: WebContext, query: URLSearchParams): Promise<Visitor | null> {
  if (sentKey(c.env.incoming.headers, query) !== null) return null;
  try {
    return await identify(tools, { c, query, ip: tools.clientAddress(c.env.incoming), view });
  } catch {
    return null;
  }
}

/** Answers 404 to everybody, whatever the verb: the address can name no repository, so the status gives none away. */
export async function unknownAddress(tools: PageTools, c: WebContext): Promise<Response> {
  const { incoming } = c.env;
  const started = performance.now();
  const query = queryOf(incoming);
  const visitor = await findVisitor(tools, c, query);
  const error = new NotFoundError('There is nothing at this address.');
  const response = errorResponse(error, { siteName: tools.siteName, visitor, incoming, query, where: null });
  const ip = tools.clientAddress(incoming);
  tools.record(
    { ids: c.get('ids'), view, started, ip, userId: visitor?.caller.userId ?? null, error },
    response.status,
  );
  return response;
}
