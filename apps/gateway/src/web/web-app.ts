import { randomUUID } from 'node:crypto';
import { NotFoundError } from '@trunkline/contracts';
import { Hono } from 'hono';
import { errorResponse } from './error-response.tsx';
import { queryOf, runPage, type PageTools } from './run-page.ts';
import { identify, sentKey, type Visitor } from './identify.ts';
import type { PageEnvironment, WebContext } from './web-context.ts';
import { readCorrelation } from '../http/read-correlation.ts';
import { contentHeaders } from '../http/web-headers.ts';
import { icon, stylesheet, stylesheetAs, stylesheetPath } from './assets/stylesheet.ts';
import { takesEncoding } from './http/gzip.ts';
import { pathSegments, withSingleSlashes } from './http/path-segments.ts';
import type { PageRoute } from './page-route.ts';
import { missingRoute, repositoryRoute } from './repository/repository-route.ts';
import type { LocateRepository } from './repository/repository-locator.ts';
import { adminRoute } from './admin-routes.ts';
import { signInPages, type SignInTools } from './sign-in/sign-in-pages.tsx';

const pageName = 'HomeController:not_found';

/** Returns the visitor for the header of the page; null for a request with an API key, or when `identify` throws. */
async function findVisitor(tools: PageTools, c: WebContext, query: URLSearchParams): Promise<Visitor | null> {
  if (sentKey(c.env.incoming.headers, query, pageName) !== null) return null;
  try {
    return await identify(tools, { c, query, ip: tools.clientAddress(c.env.incoming), pageName });
  } catch {
    return null;
  }
}

/** Answers 404 to every visitor and HTTP method: no repository can have such a path, so the status reveals none. */
async function unknownAddress(tools: PageTools, c: WebContext): Promise<Response> {
  const { incoming } = c.env;
  const started = performance.now();
  const query = queryOf(incoming);
  const visitor = await findVisitor(tools, c, query);
  const error = new NotFoundError('There is nothing at this address.');
  const { siteName } = tools;
  const response = errorResponse(error, { siteName, visitor, incoming, query, pageName, repositoryError: null });
  const ip = tools.clientAddress(incoming);
  tools.record(
    { ids: c.get('ids'), pageName, started, ip, userId: visitor?.caller.userId ?? null, error },
    response.status,
  );
  return response;
}

export interface WebTools extends PageTools, SignInTools {
  readonly locate: LocateRepository;
}

const assetHeaders = { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' };
async function sendStylesheet(c: WebContext): Promise<Response> {
  const encoding = (['br', 'gzip'] as const).find((one) => takesEncoding(c.env.incoming, one));
  const headers = { ...assetHeaders, 'Content-Type': 'text/css; charset=utf-8', Vary: 'Accept-Encoding' };
  if (encoding === undefined) return c.body(stylesheet, 200, headers);
  return c.body(await stylesheetAs(encoding), 200, { ...headers, 'Content-Encoding': encoding });
}

const iconPath = '/_admin/assets/icon.svg';
const pageMethods = ['GET', 'HEAD', 'POST'];

/** Returns the page at a path outside /_admin: that of a repository or, when the path names none, of a group. */
async function namedRoute(segments: readonly string[], locate: LocateRepository): Promise<PageRoute> {
  const missing = missingRoute(segments);
  if (segments.length === 0) return missing;
  try {
    const located = await locate(segments);
    return located ? repositoryRoute(located) : missing;
  } catch (error) {
    return failing(missing, error);
  }
}

/** Returns a page that throws an error of the look-up, which is then rendered like any other error of a page. */
function failing({ pageName, audience }: PageRoute, error: unknown): PageRoute {
  const fail = async () => {
    throw error;
  };
  return { pageName, audience, get: fail, post: fail };
}

function refuseMethod(c: WebContext): Response {
  return c.text('Method not allowed', 405, { ...contentHeaders, Allow: pageMethods.join(', ') });
}

/** Sends a request to the address with single slashes, so that no rule that a proxy has for addresses is passed by. */
function redirectToSingle(c: WebContext, address: string): Response {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  // Mercurial clients on older releases of Python do not know 308, which keeps other verbs.
  return c.body(null, isRead ? 301 : 308, { ...contentHeaders, Location: address });
}

/**
 * Builds the app with every page of the service: fixed paths below /_admin; any other path names a repository or group.
 */
export function webApp(tools: WebTools) {
  const app = new Hono<PageEnvironment>();
  app.get(stylesheetPath, sendStylesheet);
  app.get(iconPath, (c) => c.body(icon, 200, { ...assetHeaders, 'Content-Type': 'image/svg+xml' }));
  app.use(async (c, next) => {
    const ids = { requestId: randomUUID(), ...readCorrelation(c.env.incoming.headers) };
    c.set('ids', ids);
    // Set on the Node response, so that responses that bypass Hono have the header, too.
    c.env.outgoing.setHeader('X-Request-Id', ids.correlationId ?? ids.requestId);
    await next();
  });
  app.route('/_admin', signInPages(tools));
  for (const path of [stylesheetPath, iconPath, '/_admin/login', '/_admin/logout']) app.all(path, refuseMethod);
  app.all('*', async (c) => {
    const { url = '/', method = '' } = c.env.incoming;
    const single = withSingleSlashes(url);
    if (single !== null) return redirectToSingle(c, single);
    const segments = pathSegments(url);
    if (!segments) return c.text('Not found', 404, contentHeaders);
    // Null outside /_admin, the only paths that can name a repository; undefined for a path below it without a page.
    const fixed = segments[0] === '_admin' ? adminRoute(segments.slice(1)) : null;
    if (fixed === undefined) return unknownAddress(tools, c);
    if (!pageMethods.includes(method)) return refuseMethod(c);
    return runPage(tools, fixed ?? (await namedRoute(segments, tools.locate)), segments, c);
  });
  return app;
}
