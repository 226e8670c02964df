import { randomBytes } from 'node:crypto';
import { isOneOf, type SecretVault } from '@trunkline/db';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { daysMax, type SessionStore } from './session-store.ts';

const randomPart = 20;
const userIdPart = 4;
const timePart = 8;

/** 32 bytes in base64url. */
const tokenPattern = /^[\w-]{43}$/;

/** Whose a session is, and since when: what its token tells, whatever is written in its row. */
interface TokenOwner {
  readonly userId: number;
  /** In milliseconds since 1970. */
  readonly signedInAt: number;
}

/** Makes the token of a new session: 20 random bytes, and whose it is since when. */
export function makeSessionToken({ userId, signedInAt }: TokenOwner): string {
  const token = Buffer.concat([randomBytes(randomPart), Buffer.alloc(userIdPart + timePart)]);
  token.writeUInt32BE(userId, randomPart);
  token.writeBigUInt64BE(BigInt(signedInAt), randomPart + userIdPart);
  return token.toString('base64url');
}

/** Returns whose a token is; null for a malformed one. One of release 0.1.0, which is all random, is nobody's. */
export function readSessionToken(token: string): TokenOwner | null {
  if (!tokenPattern.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const signedInAt = Number(bytes.readBigUInt64BE(randomPart + userIdPart));
  return { userId: bytes.readUInt32BE(randomPart), signedInAt };
}

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

const name = 'trunkline_session';
const secondsMax = daysMax * 86_400;

/** The cookie that holds the signed token of a session; a token with a wrong signature causes no database query. */
export interface SessionCookie {
  /** Returns the token; null when the request has no cookie with a valid signature. */
  read(c: Context): string | null;
  write(c: Context, token: string): void;
  clear(c: Context): void;
}

/** Creates the session cookie; `isSecure` returns whether the browser's request came over https. */
export function sessionCookie(
  vault: Pick<SecretVault, 'hmac' | 'hmacs'>,
  isSecure: (c: Context) => boolean,
): SessionCookie {
  const optionsFor = (c: Context) => ({ path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecure(c) }) as const;
  return {
    read(c) {
      const [token = '', signature = '', ...rest] = (getCookie(c, name) ?? '').split('.');
      const isOurs = isOneOf(Buffer.from(signature, 'base64url'), vault.hmacs('session cookie', token));
      return isOurs && rest.length === 0 ? token : null;
    },
    write(c, token) {
      const signature = vault.hmac('session cookie', token).toString('base64url');
      setCookie(c, name, `${token}.${signature}`, { ...optionsFor(c), maxAge: secondsMax });
    },
    clear(c) {
      deleteCookie(c, name, optionsFor(c));
    },
  };
}
