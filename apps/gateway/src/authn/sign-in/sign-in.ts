import type { SecretVault } from '@trunkline/db';
import type { Logger } from '@trunkline/runtime';
import { makeSessionToken } from '../sessions.ts';
import { sourceOf } from '../../http/network.ts';
import { loginRefused, type CheckLogin, type Login } from './check-login.ts';
import type { SignInStore } from './sign-in-store.ts';

interface SignInAttempt extends Login {
  readonly userAgent: string;
}

interface SignedIn {
  /** The token for the session cookie; each sign-in creates a new one. */
  readonly token: string;
  readonly session: { readonly sessionId: number; readonly userId: number; readonly username: string };
}

/** Signs a user in, and throws what CheckLogin throws. */
export type SignIn = (attempt: SignInAttempt) => Promise<SignedIn>;

export interface SignInTools {
  readonly store: Pick<SignInStore, 'open'>;
  readonly checkLogin: CheckLogin;
  readonly vault: Pick<SecretVault, 'hmac'>;
  readonly logger: Logger;
}

const userAgentCharsMax = 500;

export function createSignIn({ store, checkLogin, vault, logger }: SignInTools): SignIn {
  return async (attempt) => {
    const user = await checkLogin(attempt);
    const { ip } = attempt;
    const { userId, username } = user;
    const token = makeSessionToken({ userId, signedInAt: Date.now() });
    const sessionId = await store.open(user, {
      hmac: vault.hmac('session lookup', token),
      ip,
      source: sourceOf(ip),
      userAgent: attempt.userAgent.slice(0, userAgentCharsMax).replaceAll('\0', ''),
    });
    // The user or the password changed while the password was checked.
    if (sessionId === undefined) throw loginRefused();
    logger.info({ userId, sessionId, ip }, 'signed in');
    return { token, session: { sessionId, userId, username } };
  };
}
