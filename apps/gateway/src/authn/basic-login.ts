import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { addressAllowed, type Logger } from '@trunkline/runtime';
import { AuthenticationError, type Caller } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { Clock } from '../clock.ts';
import { ChangedUsers } from './changed-users.ts';
import type { Candidate, SignInStore } from './sign-in/sign-in-store.ts';
import { sourceOf } from '../http/network.ts';
import { isAddressRefused, keyPattern, type Authenticate, type Identity } from './authenticate.ts';
import type { CheckLogin } from './sign-in/check-login.ts';

/** Name and password that a client has sent. */
interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

const headerPattern = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the header `Authorization` (RFC 7617). Returns null for a header that is absent or of another kind; credentials
 * that nobody has stand for malformed ones.
 */
export function parseBasic(header: string | undefined): BasicCredentials | null {
  const [, encoded] = headerPattern.exec(header ?? '') ?? [];
  if (encoded === undefined) return null;
  try {
    const text = decoder.decode(Buffer.from(encoded, 'base64'));
    const colon = text.indexOf(':');
    if (colon >= 0) return { username: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    // It is not UTF-8, as a password is that was set here.
  }
  return { username: '', password: '' };
}

const loginsMax = 10_000;
const lifeMs = 60_000;

type AcceptedLogin = Pick<Candidate, 'userId' | 'fingerprint' | 'networks'>;

/**
 * The names and passwords that were accepted within the last minute, since clients send them with every request, and
 * checking one costs a core for some 50 ms. Refusals are not kept. Workers refuse a password that has changed since by its
 * fingerprint.
 */
export class AcceptedLogins {
  readonly #hmacKey = randomBytes(32);
  readonly #logins: LRUCache<string, { readonly login: AcceptedLogin; readonly epoch: number }>;
  readonly #changed = new ChangedUsers();

  constructor(clock: Clock) {
    const perf = { now: () => clock.now() };
    this.#logins = new LRUCache({ max: loginsMax, ttl: lifeMs, ttlResolution: 0, perf });
  }

  /** Returns the key of a name and a password, from which neither can be found. */
  keyOf({ username, password }: BasicCredentials): string {
    return createHmac('sha256', this.#hmacKey).update(`${username}\0${password}`).digest('base64');
  }

  get(key: string): AcceptedLogin | undefined {
    const kept = this.#logins.get(key);
    if (kept && !this.#changed.isStale(kept.login.userId, kept.epoch)) return kept.login;
    this.#logins.delete(key);
    return undefined;
  }

  /** Number of drops so far; it is read before the check whose result is kept. */
  get epoch(): number {
    return this.#changed.epoch;
  }

  keep(key: string, { userId, fingerprint, networks }: AcceptedLogin, epoch: number): void {
    if (this.#changed.isStale(userId, epoch)) return;
    this.#logins.set(key, { login: { userId, fingerprint, networks }, epoch });
  }

  /** Drops a user's logins, or, with null, all; results of checks that began before are not kept. */
  drop(userId: number | null): void {
    this.#changed.add(userId);
    if (userId === null) this.#logins.clear();
  }
}

/** Remembers the address of a login that was accepted, in the background: the login does not depend on it. */
type RememberSource = (user: Candidate, ip: string) => void;

/**
 * Remembers where clients of git and Mercurial sign in from as where browsers do, so that their logins do not wait among
 * those of unknown addresses. An address that is remembered already is not written again.
 */
export function createRememberSource(
  store: Pick<SignInStore, 'remember'>,
  logger: Pick<Logger, 'warn'>,
): RememberSource {
  return (user, ip) => {
    if (user.isUsualSource) return;
    store.remember(user, sourceOf(ip)).catch((error: unknown) => {
      logger.warn({ err: error, userId: user.userId }, 'the address of a login could not be remembered');
    });
  };
}

/**
 * Returns the caller with these credentials: an API key as the password of its user or of `api-key`, or a user's name
 * and password. Throws AuthenticationError, with one text for all that is wrong.
 */
export type BasicLogin = (credentials: BasicCredentials, ip: string) => Promise<Caller>;

export interface BasicLoginTools {
  readonly authenticate: Authenticate;
  readonly checkLogin: CheckLogin;
  readonly accepted: AcceptedLogins;
  readonly store: Pick<SignInStore, 'remember'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Stands for the user's name, for programs that know a key alone. */
export const nameForKeys = 'api-key';

/** Returns whether a key may be sent with this name. */
export function isNameOfKey(name: string, { username }: Pick<Identity, 'username'>): boolean {
  return name === nameForKeys || foldCase(name) === foldCase(username);
}

export function createBasicLogin({ authenticate, checkLogin, accepted, store, logger }: BasicLoginTools): BasicLogin {
  const rememberSource = createRememberSource(store, logger);
  const checks = new SingleFlight<AcceptedLogin>();

  /** Returns the owner of a key; null when the password is no key, which it can look like. */
  const byKey = async ({ username, password }: BasicCredentials, ip: string): Promise<Identity | null> => {
    if (!keyPattern.test(password)) return null;
    try {
      const identity = await authenticate(password, ip);
      return isNameOfKey(username, identity) ? identity : null;
    } catch (error) {
      if (error instanceof AuthenticationError && !isAddressRefused(error, ip)) return null;
      throw error;
    }
  };

  const byPassword = async (credentials: BasicCredentials, ip: string): Promise<AcceptedLogin> => {
    const key = accepted.keyOf(credentials);
    const known = accepted.get(key);
    if (known && addressAllowed(ip, known.networks)) return known;
    // All requests of a client, and of many clients with one login, wait for one check.
    return checks.run(`${key} ${ip}`, async () => {
      const { epoch } = accepted;
      const user = await checkLogin({ ...credentials, ip });
      accepted.keep(key, user, epoch);
      rememberSource(user, ip);
      return user;
    });
  };

  return async (credentials, ip) => {
    const identity = await byKey(credentials, ip);
    if (identity) return { userId: identity.userId, ip, credential: { kind: 'key', id: identity.apiKeyId } };
    const { userId, fingerprint } = await byPassword(credentials, ip);
    return { userId, ip, credential: { kind: 'password', fingerprint } };
  };
}
