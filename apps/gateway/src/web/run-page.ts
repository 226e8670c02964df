import type { IncomingMessage } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { ForbiddenError, InvalidRequestError, toRpcError } from '@trunkline/contracts';
import type { ClusterState } from '@trunkline/runtime';
import { encodeName } from '@trunkline/runtime/text';
import { clientGone } from '../http/client-gone.ts';
import { ClientGoneError } from '../http/read-body.ts';
import type { CountWorkers } from '../http/ping-workers.ts';
import { callerKey, type Dispatch } from '../dispatch/command.ts';
import { csrfMatches } from '../authn/sessions.ts';
import { errorResponse } from './error-response.tsx';
import { FormRefusedError, isSameOrigin, receiveForm, type FormTools } from './form/sent-form.ts';
import { readNotice } from './http/notice.ts';
import type { Origin } from '../http/forwarded.ts';
import type { PasswordThrottle } from '../authn/guess-throttles.ts';
import type { Renderers } from './render/create-renderers.ts';
import type { PageRoute } from './page-route.ts';
import { returnCharsMax } from './sign-in/safe-return-path.ts';
import { RepositoryPageError } from './repository/repository-page-error.ts';
import type { RecordVisit } from '../http/recorders.ts';
import { identify, SignInNeededError, type IdentifyTools, type Visitor } from './identify.ts';
import type { WebContext } from './web-context.ts';
import { BrokenOffError } from './send-content.ts';
import type { Visit } from './visit.ts';
import { workerCalls } from './worker-calls.ts';

export interface PageTools extends IdentifyTools, FormTools {
  readonly siteName: string;
  readonly origin: Origin;
  readonly dispatch: Dispatch;
  readonly renderers: Renderers;
  readonly passwordThrottle: PasswordThrottle;
  readonly record: RecordVisit;
  readonly countWorkers: CountWorkers;
  readonly readCluster: () => Promise<ClusterState>;
}

/** Returns the path of the sign-in page, with the requested URL in `came_from` unless it is long, or of a POST. */
function signInPath({ method, url = '/' }: IncomingMessage): string {
  const cameFrom = encodeURIComponent(url);
  const isKept = method !== 'POST' && cameFrom.length <= returnCharsMax;
  return isKept ? `/_admin/login?came_from=${cameFrom}` : '/_admin/login';
}

function requireAudience({ audience }: PageRoute, { caller, admin }: Visitor): void {
  if (audience !== 'anybody' && caller.credential.kind === 'anonymous') throw new SignInNeededError();
  if (audience === 'administrators' && !admin) throw new ForbiddenError('Access was denied to this resource.');
}

/** Returns the visit with the form that was sent. Throws FormRefusedError, in the layout of the page if it has one. */
async function withForm(tools: PageTools, route: PageRoute, visit: Visit): Promise<Visit> {
  const { http, segments, visitor } = visit;
  const { incoming } = http;
  if (!visit.isPost) return visit;
  if (!visitor.session) throw new SignInNeededError();
  const form = isSameOrigin(incoming.headers, tools.origin.hosts) ? await receiveForm(incoming, tools) : null;
  if (form && csrfMatches(visitor.session, form.get('csrf_token') ?? '')) return { ...visit, form };
  const page = route.get ? `/${segments.map(encodeName).join('/')}` : null;
  const refusal = new FormRefusedError(page);
  // A repository that is hidden from the visitor gives the answer of one that does not exist: the error as it is.
  throw await (route.framed?.(refusal, visit).catch(() => refusal) ?? refusal);
}

export function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'));
}

/** Answers one request for a page: identifies the visitor, checks the audience, runs the page, renders errors. */
export async function runPage(tools: PageTools, route: PageRoute, segments: readonly string[], c: WebContext) {
  const { incoming } = c.env;
  const gone = clientGone(c.env);
  const ids = c.get('ids');
  const started = performance.now();
  const ip = tools.clientAddress(incoming);
  const query = queryOf(incoming);
  let visitor: Visitor | null = null;
  const done = (response: Response, error: Error | null) => {
    const userId = visitor?.caller.userId ?? null;
    tools.record({ ids, pageName: route.pageName, started, ip, userId, error }, response.status);
    return response;
  };
  try {
    const isPost = incoming.method === 'POST';
    const show = isPost ? route.post : route.get;
    if (!show) throw new InvalidRequestError('This page does not accept forms');
    visitor = await identify(tools, { c, query, ip, pageName: route.pageName });
    requireAudience(route, visitor);
    const visit: Visit = {
      isPost,
      http: c.env,
      segments,
      query,
      form: new URLSearchParams(),
      ip,
      baseUrl: tools.origin.baseUrl(incoming),
      siteName: tools.siteName,
      visitor,
      renderer: tools.renderers.of(callerKey(visitor.caller)),
      passwordThrottle: tools.passwordThrottle,
      countWorkers: tools.countWorkers,
      readCluster: tools.readCluster,
      worker: workerCalls(
        tools.dispatch,
        visitor.caller,
        { correlationId: ids.correlationId ?? ids.requestId, traceId: ids.traceId },
        gone,
      ),
      notice: visitor.caller.credential.kind === 'key' ? null : readNotice(incoming.headers.cookie),
    };
    return done(await show(await withForm(tools, route, visit)), null);
  } catch (thrown) {
    if (thrown instanceof SignInNeededError) return done(c.redirect(signInPath(incoming)), null);
    if (thrown instanceof BrokenOffError) return done(RESPONSE_ALREADY_SENT, thrown);
    // The response reaches nobody, so the visit is not recorded.
    const isAbandoned = gone.aborted && incoming.method !== 'POST';
    if (isAbandoned || thrown instanceof ClientGoneError) return new Response(null, { status: 400 });
    const repositoryError = thrown instanceof RepositoryPageError ? thrown : null;
    const error = toRpcError(repositoryError?.cause ?? thrown);
    const { siteName } = tools;
    const asked = { siteName, visitor, incoming, query, pageName: route.pageName, repositoryError };
    return done(errorResponse(error, asked), error);
  }
}
