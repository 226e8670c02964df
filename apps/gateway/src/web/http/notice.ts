import { parse, serialize } from 'hono/utils/cookie';

const name = 'trunkline_notice';
// An escaped character takes at most twelve bytes; browsers drop cookies larger than four thousand bytes.
const charsMax = 300;
const attributes = { path: '/', httpOnly: true, sameSite: 'Lax' } as const;

/** Returns the Set-Cookie header that carries a notice to the next page. */
export function noticeCookie(text: string): string {
  return serialize(name, Array.from(text).slice(0, charsMax).join(''), { ...attributes, maxAge: 60 });
}

/** The Set-Cookie header that removes the notice. */
export const clearNotice = serialize(name, '', { ...attributes, maxAge: 0 });

/** Reads the notice of the previous page from a Cookie header; null when there is none. */
export function readNotice(cookies: string | undefined): string | null {
  return parse(cookies ?? '', name)[name] || null;
}
