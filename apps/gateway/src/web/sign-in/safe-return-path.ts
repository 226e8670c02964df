const here = 'http://here.invalid';

/** The page to return to after signing in: always a path of this service. */
export function safeReturnPath(sent: string | null): string {
  if (!sent?.startsWith('/') || !URL.canParse(sent, here)) return '/';
  const { origin, pathname, search } = new URL(sent, here);
  const isOurs = origin === here && !pathname.startsWith('//') && !pathname.startsWith('/_admin/login');
  return isOurs ? `${pathname}${search}` : '/';
}
