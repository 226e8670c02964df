import { timingSafeEqual } from 'node:crypto';
import type { SecretVault } from '@trunkline/db';
import type { SessionStore } from './session-store.ts';

/** Who has signed in. */
export interface Session {
  readonly sessionId: number;
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  /** What every form of this session must send along. */
  readonly csrfToken: string;
}

export interface Sessions {
  /** The session of a cookie's token; null when there is none, it has ended, or its user is inactive. */
  findSession(token: string): Promise<Session | null>;
  endSession(sessionId: number): Promise<void>;
  endSessionsOf(userId: number): Promise<void>;
}

const tokenPattern = /^[\w-]{43}$/;
const absentMac = Buffer.alloc(32);

export interface SessionTools {
  readonly store: SessionStore;
  readonly vault: Pick<SecretVault, 'mark'>;
}

export function createSessions({ store, vault }: SessionTools): Sessions {
  return {
    async findSession(token) {
      if (!tokenPattern.test(token)) return null;
      const mac = vault.mark('session lookup', token);
      const found = await store.find(mac);
      const same = timingSafeEqual(found?.mac ?? absentMac, mac);
      if (!same || !found?.usable) return null;
      const { sessionId, userId, username, admin } = found;
      if (found.stale) store.touch(sessionId);
      return { sessionId, userId, username, admin, csrfToken: vault.mark('session form', token).toString('base64url') };
    },
    endSession: (sessionId) => store.end(sessionId),
    endSessionsOf: (userId) => store.endOf(userId),
  };
}

/** Whether a form was sent by a page of this session. */
export function csrfMatches({ csrfToken }: Pick<Session, 'csrfToken'>, sent: unknown): boolean {
  if (typeof sent !== 'string') return false;
  const [expected, given] = [Buffer.from(csrfToken), Buffer.from(sent)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
