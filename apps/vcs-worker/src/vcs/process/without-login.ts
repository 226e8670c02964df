import type { Remote } from '../remote/remote.ts';

/** What a tool said, without the login: a remote can say back what it was sent. */
export function withoutLogin(text: string, { scheme, username, password }: Remote): string {
  // Forges take a token in the place of a user name.
  const secret = password || (scheme === 'ssh' ? null : username);
  if (!secret) return text;
  const basic = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return [basic, encodeURIComponent(secret), secret].reduce((rest, one) => rest.replaceAll(one, '*****'), text);
}
