import { addressAllowed, isForeignHash, toOneLine, verifyPassword, type Logger } from '@trunkline/runtime';
import { AuthenticationError } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import type { Ldap } from './ldap.ts';
import type { PasswordQueues, PasswordWork } from './password-queues.ts';
import type { Clock } from '../../clock.ts';
import { addressRefused } from '../authenticate.ts';
import { createLookUpThrottle, createNameThrottle } from '../guess-throttles.ts';
import { sourceOf } from '../../http/network.ts';
import type { Candidate, SignInStore } from './sign-in-store.ts';

export interface PasswordOwner {
  readonly passwordHash: string | null;
  readonly ldapDn: string | null;
}

/** Runs a check of a password in a queue of such work. */
export type RunQueued = <T>(kind: PasswordWork, check: () => Promise<T>) => Promise<T>;

export interface PasswordTools {
  readonly ldap: Ldap | null;
  readonly runQueued: RunQueued;
  /** Whether some user has a hash of another program, so that each wrong password costs the work of one. */
  readonly foreignWork?: boolean;
}

/**
 * Returns whether a password is the user's. A configured LDAP server alone decides for users with an `ldap_dn`, so that
 * a user who is removed there cannot sign in. An unknown user costs as much work as a local user's wrong password.
 */
export async function checkPassword(
  user: PasswordOwner | undefined,
  password: string,
  { ldap, runQueued, foreignWork = false }: PasswordTools,
): Promise<boolean> {
  const dn = ldap && user?.ldapDn;
  // `Ldap.bind` refuses an empty password, too (an anonymous bind would succeed), but without the work of a hash.
  if (dn && password !== '') return runQueued('bind', () => ldap.bind(dn, password));
  return runQueued('hash', () => verifyPassword(dn ? null : (user?.passwordHash ?? null), password, { foreignWork }));
}

export interface Login {
  /** The username, or the primary e-mail address. */
  readonly username: string;
  readonly password: string;
  readonly ip: string;
}

/**
 * Returns the user with this name and password; throws AuthenticationError, with one text for a wrong name, a wrong
 * password and an inactive user, and another for a right password from an address that is not allowed. Guesses are
 * slowed down by address and by user, however they arrive.
 */
export type CheckLogin = (login: Login) => Promise<Candidate>;

export interface CheckLoginTools {
  readonly store: Pick<SignInStore, 'find'>;
  /** Has a worker replace the user's hash of another program: the role of a gateway may change no password. */
  readonly upgradePassword: (user: Candidate, login: Login) => Promise<void>;
  /** The LDAP server; null when there is none. */
  readonly ldap: Ldap | null;
  readonly clock: Clock;
  readonly queues: PasswordQueues;
  readonly logger: Logger;
}

const usernameCharsMax = 255;
const passwordCharsMax = 1_000;
const addressLimits = { burst: 20, intervalMs: 500, waitMsMax: 5_000 };

export const loginRefused = () => new AuthenticationError('Invalid username or password');

/** Returns whether a user can have this name and password; an impossible one is refused without a query. */
function isPossible({ username, password }: Login): boolean {
  return username.length <= usernameCharsMax && !username.includes('\0') && password.length <= passwordCharsMax;
}

export function createCheckLogin({ store, upgradePassword, ldap, clock, logger, queues }: CheckLoginTools): CheckLogin {
  const byAddress = createLookUpThrottle(clock, addressLimits);
  const byName = createNameThrottle(clock);

  const findWithPassword = async ({ username, password, ip }: Login): Promise<Candidate | undefined> => {
    const loginKey = foldCase(username);
    const source = sourceOf(ip);
    const { user, isKnownSource, foreignWork } = await store.find(loginKey, source);
    // Guesses count for the user, by whichever of name and address they come.
    const name = user ? foldCase(user.username) : loginKey;
    // The source alone chooses the queue, so that the time tells nothing of the name.
    const queue = isKnownSource ? queues.known : queues.other;
    const runQueued: RunQueued = (kind, check) => queue.run(kind, source, check);
    const right = await byName({ name, source, isUsual: user?.isUsualSource ?? false }, () =>
      checkPassword(user, password, { ldap, runQueued, foreignWork }),
    );
    return right && user?.active ? user : undefined;
  };

  /** Returns the user by now, if the password still is the same: this sign-in, or another one, has replaced the hash. */
  const findUpgraded = async ({ userId }: Candidate, login: Login): Promise<Candidate | undefined> => {
    const source = sourceOf(login.ip);
    const { user, foreignWork } = await store.find(foldCase(login.username), source);
    if (user?.userId !== userId) return undefined;
    const runQueued: RunQueued = (kind, check) => queues.known.run(kind, source, check);
    const right = await checkPassword(user, login.password, { ldap, runQueued, foreignWork });
    return right && user.active && addressAllowed(login.ip, user.networks) ? user : undefined;
  };

  /** Replaces the hash that an import has taken on from another program, now that the password is known. */
  const upgrade = async (user: Candidate, login: Login): Promise<Candidate> => {
    const { passwordHash, userId, ldapDn } = user;
    if (passwordHash === null || (ldap && ldapDn) || !isForeignHash(passwordHash)) return user;
    const warn = (error: unknown) => {
      logger.warn({ userId, reason: toOneLine(error) }, 'the password hash of another program could not be replaced');
      return undefined;
    };
    await upgradePassword(user, login).catch(warn);
    return (await findUpgraded(user, login).catch(warn)) ?? user;
  };

  return async (login) => {
    if (!isPossible(login)) throw loginRefused();
    const { ip } = login;
    const user = await byAddress.run(
      ip,
      () => findWithPassword(login),
      (found) => found !== undefined,
    );
    if (!user) {
      logger.info({ ip }, 'sign-in refused');
      throw loginRefused();
    }
    if (!addressAllowed(ip, user.networks)) {
      logger.info({ userId: user.userId, ip }, 'sign-in refused: the password is right, and the address not allowed');
      throw addressRefused(ip);
    }
    return upgrade(user, login);
  };
}
