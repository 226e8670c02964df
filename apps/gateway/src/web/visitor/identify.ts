import { ForbiddenError } from '@trunkline/contracts';
import type { Authenticate } from '../../authn/authenticate.ts';
import type { SessionCookie } from '../../authn/session/cookie.ts';
import type { Sessions } from '../../authn/session/sessions.ts';
import type { WebContext } from '../web-context.ts';
import { sentKey } from './sent-key.ts';
import type { ViewName } from './view-names.ts';
import type { Visitor } from './visitor.ts';

/** An anonymous visitor of a page that needs a user: the answer is the sign-in page. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError';
}

export interface IdentifyTools {
  readonly authenticate: Authenticate;
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly isKeyView: (view: ViewName) => boolean;
  /** The id of the user `default`; null unless anonymous viewing is on. */
  readonly everybody: (() => Promise<number>) | null;
}

interface Asking {
  readonly c: WebContext;
  readonly query: URLSearchParams;
  readonly ip: string;
  readonly view: ViewName;
}

async function byKey(tools: IdentifyTools, apiKey: string, { ip, view }: Asking): Promise<Visitor> {
  const { userId, apiKeyId, admin } = await tools.authenticate(apiKey, ip);
  if (!tools.isKeyView(view)) throw new ForbiddenError('Access was denied to this resource.');
  return { caller: { userId, ip, credential: { kind: 'key', id: apiKeyId } }, admin, session: null };
}

/** Identifies the visitor by key, else by session, else as the anonymous user where anonymous viewing is on. */
export async function identify(tools: IdentifyTools, asking: Asking): Promise<Visitor> {
  const { c, query, ip } = asking;
  const { incoming } = c.env;
  const apiKey = incoming.method === 'POST' ? null : sentKey(incoming.headers, query);
  if (apiKey !== null) return byKey(tools, apiKey, asking);
  const token = tools.cookie.read(c);
  const found = token === null ? null : await tools.sessions.findSession(token);
  if (found) {
    const { sessionId: id, userId, admin } = found;
    return { caller: { userId, ip, credential: { kind: 'session', id } }, admin, session: found };
  }
  if (!tools.everybody) throw new SignInNeededError();
  const userId = await tools.everybody();
  return { caller: { userId, ip, credential: { kind: 'anonymous' } }, admin: false, session: null };
}
