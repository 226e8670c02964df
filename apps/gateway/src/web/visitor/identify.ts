import { ForbiddenError } from '@trunkline/contracts';
import type { Authenticate } from '../../authn/authenticate.ts';
import type { SessionCookie } from '../../authn/session/cookie.ts';
import type { Sessions } from '../../authn/session/sessions.ts';
import type { WebContext } from '../web-context.ts';
import { sentKey } from './sent-key.ts';
import type { PageName } from './page-names.ts';
import type { Visitor } from './visitor.ts';

/** Thrown for an anonymous visitor of a page that needs a user: the answer is a redirect to the sign-in page. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError';
}

export interface IdentifyTools {
  readonly authenticate: Authenticate;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly isKeyPage: (page: PageName) => boolean;
  /** Reads the id of the user `default`; null unless anonymous viewing is on. */
  readonly readDefaultUserId: (() => Promise<number>) | null;
}

interface Asking {
  readonly c: WebContext;
  readonly query: URLSearchParams;
  readonly ip: string;
  readonly view: PageName;
}

async function byKey(tools: IdentifyTools, apiKey: string, { ip, view }: Asking): Promise<Visitor> {
  const { userId, apiKeyId, admin } = await tools.authenticate(apiKey, ip);
  if (!tools.isKeyPage(view)) throw new ForbiddenError('Access was denied to this resource.');
  return { caller: { userId, ip, credential: { kind: 'key', id: apiKeyId } }, admin, session: null };
}

/**
 * Identifies the visitor by API key, else by session, else as anonymous. Throws SignInNeededError instead of the last
 * when anonymous viewing is off.
 */
export async function identify(tools: IdentifyTools, asking: Asking): Promise<Visitor> {
  const { c, query, ip } = asking;
  const { incoming } = c.env;
  // A form needs a session and its CSRF token, so the key of a POST does not count.
  const apiKey = incoming.method === 'POST' ? null : sentKey(incoming.headers, query);
  if (apiKey !== null) return byKey(tools, apiKey, asking);
  const token = tools.cookie.read(c);
  const found = token === null ? null : await tools.sessions.findSession(token);
  if (found) {
    const { sessionId: id, userId, admin } = found;
    return { caller: { userId, ip, credential: { kind: 'session', id } }, admin, session: found };
  }
  if (!tools.readDefaultUserId) throw new SignInNeededError();
  const userId = await tools.readDefaultUserId();
  return { caller: { userId, ip, credential: { kind: 'anonymous' } }, admin: false, session: null };
}
