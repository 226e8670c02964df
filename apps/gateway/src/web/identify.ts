import type { IncomingHttpHeaders } from 'node:http';
import { AuthenticationError, ForbiddenError, type Caller } from '@trunkline/contracts';
import { users, type Database } from '@trunkline/db';
import { eq } from 'drizzle-orm';
import { isNameOfKey, parseBasic } from '../authn/basic-login.ts';
import type { Session, SessionCookie, Sessions } from '../authn/sessions.ts';
import { throwAsRpcError } from '../queries.ts';
import type { Authenticate } from '../authn/authenticate.ts';
import type { WebContext } from './web-context.ts';

/** The name of a page as operators know it: `view` in the log, the method in metrics, and what configuration lists. */
export type PageName = `${string}:${string}`;

const alwaysEnabled: ReadonlySet<string> = new Set([
  'FeedController:rss',
  'FeedController:atom',
  'JournalController:journal_rss',
  'JournalController:journal_atom',
  'JournalController:public_journal_rss',
  'JournalController:public_journal_atom',
]);

/** Pages for programs: there, name and key in a header are read, which a browser may send for a proxy on other pages. */
const contentPages: ReadonlySet<string> = new Set([
  ...alwaysEnabled,
  'FilesController:raw',
  'FilesController:rawfile',
  'FilesController:archivefile',
  'ChangesetController:changeset_raw',
  'ChangesetController:changeset_patch',
  'ChangesetController:changeset_download',
]);

/**
 * Returns which pages may be opened with an API key: the feeds and the listed pages, whose names are compared exactly.
 */
export function keyPages(whitelist: readonly string[]): (page: PageName) => boolean {
  const enabled = new Set([...alwaysEnabled, ...whitelist]);
  return (page) => enabled.has(page);
}

/** The identity and rights of a page's visitor. */
export interface Visitor {
  readonly caller: Caller;
  readonly admin: boolean;
  /** The session of a visitor who is signed in; null for a visitor with a key or without credentials. */
  readonly session: Session | null;
}

/** An API key that a request was sent with, possibly ''. */
interface SentKey {
  readonly apiKey: string;
  /** The name that was sent with the key; null for a key alone. */
  readonly name: string | null;
}

/** Returns the API key in a request's Authorization header or else in its query; null for none. */
export function sentKey(
  { authorization }: Pick<IncomingHttpHeaders, 'authorization'>,
  query: URLSearchParams,
  pageName: PageName,
): SentKey | null {
  const [scheme, bearer = ''] = /^Bearer(?: +(.*))?$/i.exec(authorization ?? '') ?? [];
  const apiKey = scheme === undefined ? query.get('api_key') : bearer;
  if (apiKey !== null) return { apiKey, name: null };
  const basic = contentPages.has(pageName) ? parseBasic(authorization) : null;
  return basic && { apiKey: basic.password, name: basic.username };
}

/**
 * Returns a function that reads the id of the user `default`, the identity of anonymous visitors, at the first request.
 */
export function defaultUserIdReader(db: Database): () => Promise<number> {
  let known: number | undefined;
  return async () => {
    if (known !== undefined) return known;
    const query = db.select({ id: users.id }).from(users).where(eq(users.usernameKey, 'default'));
    const [row] = await query.catch(throwAsRpcError);
    if (!row) throw new Error('there is no user `default`');
    known = row.id;
    return known;
  };
}

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
  readonly pageName: PageName;
}

async function byKey(tools: IdentifyTools, { apiKey, name }: SentKey, { ip, pageName }: Asking): Promise<Visitor> {
  const identity = await tools.authenticate(apiKey, ip);
  const { userId, apiKeyId, admin } = identity;
  if (name !== null && !isNameOfKey(name, identity)) throw new AuthenticationError('Invalid API key');
  if (!tools.isKeyPage(pageName)) throw new ForbiddenError('Access was denied to this resource.');
  return { caller: { userId, ip, credential: { kind: 'key', id: apiKeyId } }, admin, session: null };
}

/**
 * Identifies the visitor by API key, else by session, else by name and key, else as anonymous. Throws SignInNeededError
 * instead of the last when anonymous viewing is off.
 */
export async function identify(tools: IdentifyTools, asking: Asking): Promise<Visitor> {
  const { c, query, ip, pageName } = asking;
  const { incoming } = c.env;
  // A form needs a session and its CSRF token, so the key of a POST does not count.
  const sent = incoming.method === 'POST' ? null : sentKey(incoming.headers, query, pageName);
  if (sent?.name === null) return byKey(tools, sent, asking);
  const token = tools.cookie.read(c);
  const found = token === null ? null : await tools.sessions.findSession(token);
  if (found) {
    const { sessionId: id, userId, admin } = found;
    return { caller: { userId, ip, credential: { kind: 'session', id } }, admin, session: found };
  }
  if (sent) return byKey(tools, sent, asking);
  if (!tools.readDefaultUserId) throw new SignInNeededError();
  const userId = await tools.readDefaultUserId();
  return { caller: { userId, ip, credential: { kind: 'anonymous' } }, admin: false, session: null };
}
