import { rpcPath } from '@trunkline/contracts';
import { Hono, type Handler, type MiddlewareHandler } from 'hono';
import type { Readiness } from './readiness.ts';
import type { ServedLane } from './ping-workers.ts';
import type { PageEnvironment, WebEnvironment } from '../web/web-context.ts';
import { contentHeaders } from './web-headers.ts';

interface AppTools {
  readonly endpoint: Handler<WebEnvironment>;
  /** Answers requests of git and Mercurial, and leaves all others. */
  readonly vcs: MiddlewareHandler<WebEnvironment>;
  readonly web: Hono<PageEnvironment>;
  readonly readiness: () => Promise<Readiness>;
  readonly isStopping: () => boolean;
  /** Records requests, except those for the state of this process; absent without tracing. */
  readonly trace?: MiddlewareHandler<WebEnvironment> | undefined;
  /** Logs an unexpected error. */
  readonly report: (error: unknown) => void;
}

/** Returns the body of `/readyz`. A lane is named with its storage, as `download of storage b`, if there are several. */
function readinessRecord({ missing, lanes, unserved }: Readiness) {
  const storages = new Set(lanes.map(({ storage }) => storage).filter((storage) => storage !== null));
  const nameOf = ({ lane, storage }: ServedLane) =>
    storage === null || storages.size === 1 ? lane : `${lane} of storage ${storage}`;
  return { missing, unserved: unserved?.map(nameOf) ?? null };
}

/** Creates the HTTP application, with every path that the gateway serves. */
export function createApp({ endpoint, vcs, web, readiness, isStopping, trace, report }: AppTools) {
  const app = new Hono<WebEnvironment>();
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', async (c) => {
    const found = isStopping() ? { missing: ['stopping'] } : readinessRecord(await readiness());
    return c.json(found, found.missing.length === 0 ? 200 : 503, { 'Cache-Control': 'no-store' });
  });
  if (trace) app.use(trace);
  app.all(rpcPath, endpoint);
  app.all(`${rpcPath}/`, endpoint);
  // What clients make of a base URL that ends in a slash.
  app.post(`/${rpcPath}`, endpoint);
  app.use(vcs);
  app.route('/', web);
  app.onError((error, c) => {
    report(error);
    return c.text('Internal server error', 500, contentHeaders);
  });
  return app;
}
