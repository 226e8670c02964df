import type { Logger } from '@trunkline/runtime';
import { sourceOf } from '../source-of.ts';
import type { Candidate, SignInStore } from '../sign-in/sign-in-store.ts';

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
