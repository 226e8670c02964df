import { parse, serialize } from 'hono/utils/cookie';

const name = 'trunkline_notice';
// Escaped, no character takes more than twelve bytes; browsers drop cookies beyond four thousand.
const charsMax = 300;
const attributes = { path: '/', httpOnly: true, sameSite: 'Lax' } as const;

/** The cookie that carries a notice to the next page. */
export function noticeCookie(text: string): string {
  return serialize(name, Array.from(text).slice(0, charsMax).join(''), { ...attributes, maxAge: 60 });
}

export const clearNotice = serialize(name, '', { ...attributes, maxAge: 0 });

/** The notice of the page before; null when there is none. */
export function readNotice(cookies: string | undefined): string | null {
  return parse(cookies ?? '', name)[name] || null;
}
