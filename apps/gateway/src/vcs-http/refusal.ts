import {
  AuthenticationError,
  BusyError,
  ConflictError,
  ForbiddenError,
  InvalidArgsError,
  InvalidRequestError,
  NotFoundError,
  RepositoryLockedError,
  UnavailableError,
  type RpcError,
} from '@trunkline/contracts';
import { isAddressRefused } from '../authn/authenticate.ts';
import { AddressRateError, RateLimitedError } from '../authn/rate-limit.ts';
import { quotedHeaderText } from '../http/safe-response.ts';
import { BodyTooLargeError } from '../http/read-body.ts';

/** Answer to a request that is not served: git shows the text as the body, and Mercurial as the reason. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const plain = { 'Content-Type': 'text/plain; charset=utf-8' };
const retryAfterSeconds = 10;

/** Asks for a login; `realm` is the name of the site. */
export function loginNeeded(realm: string, text = 'Sign in with a name and a password, or with an API key'): Refusal {
  return {
    status: 401,
    text,
    headers: { ...plain, 'WWW-Authenticate': `Basic realm=${quotedHeaderText(realm)}, charset="UTF-8"` },
  };
}

/** The answer about repositories that do not exist or may not be read. */
const notFound: Refusal = { status: 404, text: 'Repository not found', headers: plain };

/** What clients of Git LFS show to their users. */
export const lfsRefusal: Refusal = {
  status: 404,
  text: JSON.stringify({ message: 'Git LFS is not served here' }),
  headers: { 'Content-Type': 'application/vnd.git-lfs+json' },
};

export const unknownCommand: Refusal = {
  status: 404,
  text: 'This command of Mercurial is not served here',
  headers: plain,
};

export const unknownService: Refusal = {
  status: 403,
  text: "Only git's smart protocol is served here, with git-upload-pack and git-receive-pack",
  headers: plain,
};

/** The answer to requests without a login beyond the rate of their address. */
function tooManyRequests({ retryAfterSeconds }: AddressRateError): Refusal {
  const text = 'Too many requests without a login from your address, sign in or try again later';
  return { status: 429, text, headers: { ...plain, 'Retry-After': String(retryAfterSeconds) } };
}

function statusOf(error: RpcError): number {
  if (error instanceof BodyTooLargeError) return 413;
  if (error instanceof ConflictError) return 409;
  if (error instanceof InvalidRequestError || error instanceof InvalidArgsError) return 400;
  return error instanceof BusyError || error instanceof UnavailableError ? 503 : 500;
}

/** Returns the answer to a failed request. Who has not signed in is asked for a login where another might be served. */
export function refusalOf(
  error: RpcError,
  { realm, ip, isAnonymous }: { readonly realm: string; readonly ip: string; readonly isAnonymous: boolean },
): Refusal {
  if (isAddressRefused(error, ip)) return { status: 403, text: error.message, headers: plain };
  if (error instanceof AuthenticationError) {
    return isAnonymous ? loginNeeded(realm) : loginNeeded(realm, 'Invalid username, password or API key');
  }
  if (error instanceof NotFoundError) return isAnonymous ? loginNeeded(realm) : notFound;
  if (error instanceof ForbiddenError) return { status: 403, text: error.message, headers: plain };
  if (error instanceof RepositoryLockedError) return { status: 423, text: error.message, headers: plain };
  if (error instanceof AddressRateError) return tooManyRequests(error);
  const status = statusOf(error);
  const seconds = error instanceof RateLimitedError ? error.retryAfterSeconds : retryAfterSeconds;
  return {
    status,
    text: error.message,
    headers: status === 503 ? { ...plain, 'Retry-After': String(seconds) } : plain,
  };
}
