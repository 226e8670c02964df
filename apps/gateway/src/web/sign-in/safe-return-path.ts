const here = 'http://here.invalid';
/** Proxies take a few kilobytes of headers. */
export const returnCharsMax = 2_000;

/**
 * Returns the path to redirect to after signing in or another form: the sent path, or `/` for the sign-in page, for
 * URLs of other sites and for long ones.
 */
export function safeReturnPath(sent: string | null): string {
  if (!sent?.startsWith('/') || !URL.canParse(sent, here)) return '/';
  const { origin, pathname, search } = new URL(sent, here);
  const isOurs = origin === here && !pathname.startsWith('//') && !pathname.startsWith('/_admin/login');
  const path = `${pathname}${search}`;
  return isOurs && path.length <= returnCharsMax ? path : '/';
}
