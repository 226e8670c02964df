const here = 'http://here.invalid';

/**
 * Returns the path to redirect to after signing in or another form: the sent path, or `/` for the sign-in page and for
 * URLs of other sites.
 */
export function safeReturnPath(sent: string | null): string {
  if (!sent?.startsWith('/') || !URL.canParse(sent, here)) return '/';
  const { origin, pathname, search } = new URL(sent, here);
  const isOurs = origin === here && !pathname.startsWith('//') && !pathname.startsWith('/_admin/login');
  return isOurs ? `${pathname}${search}` : '/';
}
