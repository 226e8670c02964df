import { Hono } from 'hono';
import { contentHeaders } from '../http/web-headers.ts';
import { icon, stylesheet, stylesheetPath } from './assets/stylesheet.ts';
import { pathSegments } from './http/path-segments.ts';
import type { PageRoute } from './page-route.ts';
import { missingRoute } from './repository/missing-route.ts';
import type { LocateRepository } from './repository/repository-locator.ts';
import { repositoryRoute } from './repository/repository-route.ts';
import { showNothing } from './repository/show-nothing.ts';
import { runPage, type PageTools } from './run-page.ts';
import { adminRoute } from './admin-routes.ts';
import type { WebEnvironment } from './web-context.ts';
import { signInPages, type SignInTools } from './sign-in/sign-in-pages.tsx';

export interface WebTools extends PageTools, SignInTools {
  readonly locate: LocateRepository;
}

const assetHeaders = { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' };
const notFound: PageRoute = { view: 'HomeController:not_found', audience: 'anybody', get: showNothing };

/** The page of an address; addresses that begin with `_admin` never name repositories. */
async function routeOf(segments: readonly string[], locate: LocateRepository): Promise<PageRoute> {
  if (segments[0] === '_admin') return adminRoute(segments.slice(1)) ?? notFound;
  const missing = missingRoute(segments);
  if (segments.length === 0) return missing;
  try {
    const located = await locate(segments);
    return located ? repositoryRoute(located) : missing;
  } catch (error) {
    return failing(missing, error);
  }
}

/** Errors of the look-up are rendered like other errors of a page. */
function failing({ view, audience }: PageRoute, error: unknown): PageRoute {
  const fail = async () => {
    throw error;
  };
  return { view, audience, get: fail, post: fail };
}

/** Every page of the service: fixed addresses below /_admin, and everything else by the repository it names. */
export function webApp(tools: WebTools) {
  const app = new Hono<WebEnvironment>();
  app.get(stylesheetPath, (c) =>
    c.body(stylesheet, 200, { ...assetHeaders, 'Content-Type': 'text/css; charset=utf-8' }),
  );
  app.get('/_admin/assets/icon.svg', (c) => c.body(icon, 200, { ...assetHeaders, 'Content-Type': 'image/svg+xml' }));
  app.route('/_admin', signInPages(tools));
  app.on(['GET', 'POST'], '*', async (c) => {
    const segments = pathSegments(c.env.incoming.url ?? '/');
    if (!segments) return c.text('Not found', 404, contentHeaders);
    return runPage(tools, await routeOf(segments, tools.locate), segments, c);
  });
  app.all('*', (c) => c.text('Method not allowed', 405, { ...contentHeaders, Allow: 'GET, HEAD, POST' }));
  return app;
}
