import { AuthenticationError, toRpcError } from '@trunkline/contracts';
import { Hono } from 'hono';
import { ApiText } from '../layout/inline.tsx';
import { csrfMatches, type SessionCookie, type Sessions } from '../../authn/sessions.ts';
import type { SignIn } from '../../authn/sign-in/sign-in.ts';
import { ClientGoneError } from '../../http/read-body.ts';
import { errorResponse } from '../error-response.tsx';
import { FormRefusedError, isSameOrigin, receiveForm } from '../form/sent-form.ts';
import { readNotice } from '../http/notice.ts';
import { statusOf } from '../http/web-error.ts';
import { pageResponse } from '../layout/page.tsx';
import type { PageTools } from '../run-page.ts';
import type { PageEnvironment, WebContext } from '../web-context.ts';
import { safeReturnPath } from './safe-return-path.ts';

interface SignInFormProps {
  readonly username: string;
  /** The page to return to. */
  readonly cameFrom: string;
  readonly error: string | null;
}

function SignInForm({ username, cameFrom, error }: SignInFormProps) {
  return (
    <div class="narrow">
      <h1>Sign in</h1>
      {error !== null && (
        <p class="error" role="alert">
          <ApiText text={error} />
        </p>
      )}
      <form method="post" action="/_admin/login" class="stacked">
        <input type="hidden" name="came_from" value={cameFrom} />
        <label>
          Username or e-mail address
          <input name="username" value={username} required autocomplete="username" autocapitalize="none" autofocus />
        </label>
        <label>
          Password
          <input name="password" type="password" required autocomplete="current-password" />
        </label>
        <button>Sign in</button>
      </form>
      <p class="hint">
        Clients of Git and Mercurial ask for the same name and password. An API key from your account can be the
        password there.
      </p>
    </div>
  );
}

export interface SignInTools {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
}

type Tools = PageTools & SignInTools;

interface Tried {
  readonly username: string;
  readonly cameFrom: string;
  readonly error: string | null;
}

function formPage({ siteName }: Tools, c: WebContext, tried: Tried, status: number): Response {
  const notice = readNotice(c.env.incoming.headers.cookie);
  const children = <SignInForm {...tried} />;
  return pageResponse({ title: 'Sign in', siteName, visitor: null, section: null, notice, children }, status);
}

async function takeForm(tools: Tools, c: WebContext): Promise<URLSearchParams> {
  const { incoming } = c.env;
  const form = await receiveForm(incoming, tools);
  if (isSameOrigin(incoming.headers, tools.origin.hosts)) return form;
  throw new FormRefusedError('/_admin/login');
}

async function sessionOf({ cookie, sessions }: Tools, c: WebContext) {
  const token = cookie.read(c);
  return token === null ? null : sessions.findSession(token);
}

/** Signs a user in by username or e-mail address and password, and redirects to the requested page. */
async function signIn(tools: Tools, c: WebContext): Promise<Response> {
  const { incoming } = c.env;
  const form = await takeForm(tools, c);
  const username = form.get('username') ?? '';
  const cameFrom = safeReturnPath(form.get('came_from') ?? c.req.query('came_from') ?? null);
  try {
    const { token } = await tools.signIn({
      username,
      password: form.get('password') ?? '',
      ip: tools.clientAddress(incoming),
      userAgent: incoming.headers['user-agent'] ?? '',
    });
    // Ends the former session of this browser.
    const before = await sessionOf(tools, c);
    if (before) await tools.sessions.endSession(before);
    tools.cookie.write(c, token);
    return c.redirect(cameFrom);
  } catch (thrown) {
    const error = toRpcError(thrown);
    if (!(error instanceof AuthenticationError)) throw error;
    return formPage(tools, c, { username, cameFrom, error: error.message }, statusOf(error));
  }
}

/** Ends the session or, with `everywhere` in the form, every session of its user. */
async function signOut(tools: Tools, c: WebContext): Promise<Response> {
  const form = await takeForm(tools, c);
  const session = await sessionOf(tools, c);
  if (session && !csrfMatches(session, form.get('csrf_token'))) {
    throw new FormRefusedError('/_admin/my_account');
  }
  if (session && form.has('everywhere')) await tools.sessions.endSessionsOf(session.userId);
  else if (session) await tools.sessions.endSession(session);
  tools.cookie.clear(c);
  // Pages that the browser keeps could be shown by going back.
  c.header('Clear-Site-Data', '"cache"');
  return c.redirect('/_admin/login');
}

/** Builds the app of the pages for signing in and out, which need no identified visitor. */
export function signInPages(tools: Tools) {
  const app = new Hono<PageEnvironment>();
  const guarded = (act: (tools: Tools, c: WebContext) => Promise<Response>) => async (c: WebContext) => {
    const { incoming } = c.env;
    const asked = { pageName: 'LoginController:index', started: performance.now(), userId: null } as const;
    const done = (response: Response, error: Error | null) => {
      tools.record({ ...asked, ids: c.get('ids'), ip: tools.clientAddress(incoming), error }, response.status);
      return response;
    };
    try {
      return done(await act(tools, c), null);
    } catch (thrown) {
      if (thrown instanceof ClientGoneError) return new Response(null, { status: 400 });
      const error = toRpcError(thrown);
      const page = {
        siteName: tools.siteName,
        visitor: null,
        incoming,
        query: new URLSearchParams(),
        pageName: asked.pageName,
        repositoryError: null,
      };
      return done(errorResponse(error, page), error);
    }
  };
  app.get('/login', (c) => {
    const cameFrom = safeReturnPath(c.req.query('came_from') ?? null);
    return formPage(tools, c, { username: '', cameFrom, error: null }, 200);
  });
  app.post('/login', guarded(signIn));
  app.get('/logout', (c) => c.redirect('/_admin/my_account'));
  app.post('/logout', guarded(signOut));
  return app;
}
