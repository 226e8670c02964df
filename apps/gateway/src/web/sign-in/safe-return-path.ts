const here = 'http://here.invalid';

/** Where to go on after signing in: a page of ours, whatever was asked for. */
export function safeReturnPath(sent: string | null): string {
  if (!sent?.startsWith('/') || !URL.canParse(sent, here)) return '/';
  const { origin, pathname, search } = new URL(sent, here);
  const isOurs = origin === here && !pathname.startsWith('//') && !pathname.startsWith('/_admin/login');
  return isOurs ? `${pathname}${search}` : '/';
}
