import type { Remote } from '../remote/remote.ts';

/** Masks the password or token of a remote in a tool's output: a remote can send back the login that it received. */
export function withoutLogin(text: string, { scheme, username, password }: Remote): string {
  // Forges accept a token as the user name, without a password.
  const secret = password || (scheme === 'ssh' ? null : username);
  if (!secret) return text;
  const basic = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return [basic, encodeURIComponent(secret), secret].reduce((rest, one) => rest.replaceAll(one, '*****'), text);
}
