import type { Remote } from '../remote/remote.ts';

const mask = '*****';
/** Fewer characters of a secret help nobody, and would often be the beginning of a word. */
const fragmentCharsMin = 3;

/** Masks the end of a secret with which a text begins that was cut off in the middle of the secret. */
function withoutFragment(text: string, secret: string): string {
  for (let from = 1; from <= secret.length - fragmentCharsMin; from += 1) {
    const fragment = secret.slice(from);
    if (text.startsWith(fragment)) return mask + text.slice(fragment.length);
  }
  return text;
}

/**
 * Masks the password or token of a remote in a tool's output, of which the beginning may be cut off: a remote can send
 * back the login that it received.
 */
export function withoutLogin(text: string, { scheme, username, password }: Remote): string {
  // Forges accept a token as the user name, without a password.
  const secret = password || (scheme === 'ssh' ? null : username);
  if (!secret) return text;
  const basic = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return [basic, encodeURIComponent(secret), secret].reduce(
    (rest, one) => withoutFragment(rest, one).replaceAll(one, mask),
    text,
  );
}
