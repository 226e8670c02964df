import { AuthenticationError, type Caller } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import { addressAllowed, type Logger } from '@trunkline/runtime';
import { SingleFlight } from '@trunkline/runtime/concurrency';
import type { Authenticate, Identity } from '../authenticate.ts';
import { isAddressRefused } from '../address-refused.ts';
import { keyPattern } from '../key-pattern.ts';
import type { CheckLogin } from '../sign-in/check-login.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';
import type { AcceptedLogin, AcceptedLogins } from './accepted-logins.ts';
import type { BasicCredentials } from './parse-basic.ts';
import { createRememberSource } from './remember-source.ts';

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

export function createBasicLogin({ authenticate, checkLogin, accepted, store, logger }: BasicLoginTools): BasicLogin {
  const rememberSource = createRememberSource(store, logger);
  const checks = new SingleFlight<AcceptedLogin>();

  /** Returns the owner of a key; null when the password is no key, which it can look like. */
  const byKey = async ({ username, password }: BasicCredentials, ip: string): Promise<Identity | null> => {
    if (!keyPattern.test(password)) return null;
    try {
      const identity = await authenticate(password, ip);
      return username === nameForKeys || foldCase(username) === foldCase(identity.username) ? identity : null;
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
