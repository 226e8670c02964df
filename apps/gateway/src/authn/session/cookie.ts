import { isOneOf, type SecretVault } from '@trunkline/db';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { daysMax } from './session-store.ts';

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
