import { randomBytes } from 'node:crypto';
import { AuthenticationError } from '@trunkline/contracts';
import { foldCase, type SecretVault } from '@trunkline/db';
import { addressAllowed, type Logger } from '@trunkline/runtime';
import type { Clock } from '../../clock.ts';
import { createLookUpThrottle } from '../look-up-throttle.ts';
import { sourceOf } from '../source-of.ts';
import { checkPassword, type RunInTurn } from './check-password.ts';
import type { Ldap } from './ldap.ts';
import { createNameThrottle } from './name-throttle.ts';
import type { PasswordQueues } from './password-queues.ts';
import type { Candidate, SignInStore } from './sign-in-store.ts';

export interface SignInAttempt {
  readonly username: string;
  readonly password: string;
  readonly ip: string;
  readonly userAgent: string;
}

export interface SignedIn {
  /** The token for the session cookie; each sign-in creates a new one. */
  readonly token: string;
  readonly session: { readonly sessionId: number; readonly userId: number; readonly username: string };
}

/**
 * Signs a user in; throws AuthenticationError, with one text for a wrong name, a wrong password and an inactive user,
 * and another for a right password from an address that is not allowed.
 */
export type SignIn = (attempt: SignInAttempt) => Promise<SignedIn>;

export interface SignInTools {
  readonly store: SignInStore;
  /** The LDAP server; null when there is none. */
  readonly ldap: Ldap | null;
  readonly vault: Pick<SecretVault, 'hmac'>;
  readonly clock: Clock;
  readonly queues: PasswordQueues;
  readonly logger: Logger;
}

const usernameCharsMax = 255;
const passwordCharsMax = 1_000;
const userAgentCharsMax = 500;
const addressLimits = { burst: 20, intervalMs: 500, waitMsMax: 5_000 };

const refused = () => new AuthenticationError('Invalid username or password');

/** Returns whether a user can have this name and password; an impossible one is refused without a query. */
function isPossible({ username, password }: SignInAttempt): boolean {
  return username.length <= usernameCharsMax && !username.includes('\0') && password.length <= passwordCharsMax;
}

export function createSignIn({ store, ldap, vault, clock, logger, queues }: SignInTools): SignIn {
  const byAddress = createLookUpThrottle(clock, addressLimits);
  const byName = createNameThrottle(clock);

  const findWithPassword = async ({ username, password, ip }: SignInAttempt): Promise<Candidate | undefined> => {
    const name = foldCase(username);
    const source = sourceOf(ip);
    const { user, isKnownSource } = await store.find(name, source);
    // The source alone chooses the queue, so that the time tells nothing of the name.
    const queue = isKnownSource ? queues.known : queues.other;
    const runInTurn: RunInTurn = (kind, check) => queue.run(kind, source, check);
    const right = await byName({ name, source, isUsual: user?.isUsualSource ?? false }, () =>
      checkPassword(user, password, { ldap, runInTurn }),
    );
    return right && user?.active ? user : undefined;
  };

  return async (attempt) => {
    if (!isPossible(attempt)) throw refused();
    const { ip } = attempt;
    const user = await byAddress.run(
      ip,
      () => findWithPassword(attempt),
      (found) => found !== undefined,
    );
    if (!user) {
      logger.info({ ip }, 'sign-in refused');
      throw refused();
    }
    const { userId, username } = user;
    if (!addressAllowed(ip, user.networks)) {
      logger.info({ userId, ip }, 'sign-in refused: the password is right, and the address not allowed');
      throw new AuthenticationError(`request from IP:${ip} not allowed`);
    }
    const token = randomBytes(32).toString('base64url');
    const sessionId = await store.open(user, {
      hmac: vault.hmac('session lookup', token),
      ip,
      source: sourceOf(ip),
      userAgent: attempt.userAgent.slice(0, userAgentCharsMax).replaceAll('\0', ''),
    });
    // The user or the password changed while the password was checked.
    if (sessionId === undefined) throw refused();
    logger.info({ userId, sessionId, ip }, 'signed in');
    return { token, session: { sessionId, userId, username } };
  };
}
