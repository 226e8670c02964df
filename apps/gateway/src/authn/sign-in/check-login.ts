import { AuthenticationError } from '@trunkline/contracts';
import { foldCase } from '@trunkline/db';
import { addressAllowed, isForeignHash, toOneLine, type Logger } from '@trunkline/runtime';
import type { Clock } from '../../clock.ts';
import { addressRefused } from '../address-refused.ts';
import { createLookUpThrottle } from '../look-up-throttle.ts';
import { sourceOf } from '../source-of.ts';
import { checkPassword, type RunInTurn } from './check-password.ts';
import type { Ldap } from './ldap.ts';
import { createNameThrottle } from './name-throttle.ts';
import type { PasswordQueues } from './password-queues.ts';
import type { Candidate, SignInStore } from './sign-in-store.ts';

export interface Login {
  readonly username: string;
  readonly password: string;
  readonly ip: string;
}

/**
 * Returns the user with this name and password; throws AuthenticationError, with one text for a wrong name, a wrong
 * password and an inactive user, and another for a right password from an address that is not allowed. Guesses are
 * slowed down by address and by name, however they arrive.
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
    const name = foldCase(username);
    const source = sourceOf(ip);
    const { user, isKnownSource, foreignWork } = await store.find(name, source);
    // The source alone chooses the queue, so that the time tells nothing of the name.
    const queue = isKnownSource ? queues.known : queues.other;
    const runInTurn: RunInTurn = (kind, check) => queue.run(kind, source, check);
    const right = await byName({ name, source, isUsual: user?.isUsualSource ?? false }, () =>
      checkPassword(user, password, { ldap, runInTurn, foreignWork }),
    );
    return right && user?.active ? user : undefined;
  };

  /** Returns the user by now, if the password still is the same: this sign-in, or another one, has replaced the hash. */
  const findUpgraded = async ({ userId }: Candidate, login: Login): Promise<Candidate | undefined> => {
    const source = sourceOf(login.ip);
    const { user, foreignWork } = await store.find(foldCase(login.username), source);
    if (user?.userId !== userId) return undefined;
    const runInTurn: RunInTurn = (kind, check) => queues.known.run(kind, source, check);
    const right = await checkPassword(user, login.password, { ldap, runInTurn, foreignWork });
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
