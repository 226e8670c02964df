import { isOneOf, type SecretVault } from '@trunkline/db';
import { daysMax, type SessionStore } from './session-store.ts';
import { readSessionToken } from './session-token.ts';

/** The session of a user who has signed in. */
export interface Session {
  readonly sessionId: number;
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  /** The CSRF token that every form of this session must send. */
  readonly csrfToken: string;
  /**
   * The accepted CSRF tokens as bytes, one for each secret, the newest first: a page may come from a gateway whose newest
   * secret is a different one.
   */
  readonly csrfHmacs: readonly Buffer[];
}

export interface Sessions {
  /**
   * Finds the session of a cookie's token; returns null when it does not exist, has ended, is another user's than the
   * token's, or its user is inactive.
   */
  findSession(token: string): Promise<Session | null>;
  endSession(session: Pick<Session, 'sessionId' | 'userId'>): Promise<void>;
  endSessionsOf(userId: number): Promise<void>;
}

const absentHmac = Buffer.alloc(32);
const ageMsMax = daysMax * 86_400_000;

export interface SessionTools {
  readonly store: SessionStore;
  readonly vault: Pick<SecretVault, 'hmacs'>;
}

export function createSessions({ store, vault }: SessionTools): Sessions {
  return {
    async findSession(token) {
      const owner = readSessionToken(token);
      if (!owner) return null;
      const hmacs = vault.hmacs('session lookup', token);
      const found = await store.find(hmacs);
      // The comparison takes constant time and also runs when no session was found.
      const same = isOneOf(found?.hmac ?? absentHmac, hmacs);
      if (!same || !found?.usable) return null;
      // What the row says could be written by whoever has the database role of a gateway; the token could not.
      if (found.userId !== owner.userId || Date.now() > owner.signedInAt + ageMsMax) return null;
      const { sessionId, userId, username, admin } = found;
      if (found.needsTouch) store.touch(sessionId);
      const csrfHmacs = vault.hmacs('session form', token);
      return { sessionId, userId, username, admin, csrfToken: csrfHmacs[0].toString('base64url'), csrfHmacs };
    },
    endSession: (session) => store.end(session),
    endSessionsOf: (userId) => store.endAllOf(userId),
  };
}

/** Returns whether the token that a form sent is one of the session's CSRF tokens. */
export function csrfMatches({ csrfHmacs }: Pick<Session, 'csrfHmacs'>, sent: unknown): boolean {
  const expected = csrfHmacs.map((hmac) => Buffer.from(hmac.toString('base64url')));
  return typeof sent === 'string' && isOneOf(Buffer.from(sent), expected);
}
