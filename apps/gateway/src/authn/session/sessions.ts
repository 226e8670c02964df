import { isOneOf, type SecretVault } from '@trunkline/db';
import type { SessionStore } from './session-store.ts';

/** The session of a user who has signed in. */
export interface Session {
  readonly sessionId: number;
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  /** The CSRF token that every form of this session must send. */
  readonly csrfToken: string;
  /** The CSRF tokens that are accepted: the page may come from a gateway with another newest secret. */
  readonly csrfHmacs: readonly Buffer[];
}

export interface Sessions {
  /** The session of a cookie's token; null when it does not exist, has ended, or its user is inactive. */
  findSession(token: string): Promise<Session | null>;
  endSession(sessionId: number): Promise<void>;
  endSessionsOf(userId: number): Promise<void>;
}

const tokenPattern = /^[\w-]{43}$/;
const absentMac = Buffer.alloc(32);

export interface SessionTools {
  readonly store: SessionStore;
  readonly vault: Pick<SecretVault, 'hmacs'>;
}

export function createSessions({ store, vault }: SessionTools): Sessions {
  return {
    async findSession(token) {
      if (!tokenPattern.test(token)) return null;
      const macs = vault.hmacs('session lookup', token);
      const found = await store.find(macs);
      const same = isOneOf(found?.mac ?? absentMac, macs);
      if (!same || !found?.usable) return null;
      const { sessionId, userId, username, admin } = found;
      if (found.stale) store.touch(sessionId);
      const csrfHmacs = vault.hmacs('session form', token);
      return { sessionId, userId, username, admin, csrfToken: csrfHmacs[0].toString('base64url'), csrfHmacs };
    },
    endSession: (sessionId) => store.end(sessionId),
    endSessionsOf: (userId) => store.endOf(userId),
  };
}

/** Whether a form was sent by a page of this session. */
export function csrfMatches({ csrfHmacs }: Pick<Session, 'csrfHmacs'>, sent: unknown): boolean {
  const expected = csrfHmacs.map((mark) => Buffer.from(mark.toString('base64url')));
  return typeof sent === 'string' && isOneOf(Buffer.from(sent), expected);
}
