import { NotFoundError } from '@trunkline/contracts';
import { errorResponse } from './error-response.tsx';
import { queryOf, type PageTools } from './run-page.ts';
import { identify } from './visitor/identify.ts';
import { sentKey } from './visitor/sent-key.ts';
import type { Visitor } from './visitor/visitor.ts';
import type { WebContext } from './web-context.ts';

const view = 'HomeController:not_found';

/** Returns the visitor for the header of the page; null for a request with an API key, or when `identify` throws. */
async function findVisitor(tools: PageTools, c: WebContext, query: URLSearchParams): Promise<Visitor | null> {
  if (sentKey(c.env.incoming.headers, query) !== null) return null;
  try {
    return await identify(tools, { c, query, ip: tools.clientAddress(c.env.incoming), view });
  } catch {
    return null;
  }
}

/** Answers 404 to every visitor and HTTP method: no repository can have such a path, so the status reveals none. */
export async function unknownAddress(tools: PageTools, c: WebContext): Promise<Response> {
  const { incoming } = c.env;
  const started = performance.now();
  const query = queryOf(incoming);
  const visitor = await findVisitor(tools, c, query);
  const error = new NotFoundError('There is nothing at this address.');
  const response = errorResponse(error, { siteName: tools.siteName, visitor, incoming, query, repositoryError: null });
  const ip = tools.clientAddress(incoming);
  tools.record(
    { ids: c.get('ids'), view, started, ip, userId: visitor?.caller.userId ?? null, error },
    response.status,
  );
  return response;
}
