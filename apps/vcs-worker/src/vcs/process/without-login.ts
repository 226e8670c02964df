import type { Remote } from '../remote/remote.ts';

/** What a tool said, without the login: a remote can say back what it was sent. */
export function withoutLogin(text: string, { username, password }: Remote): string {
  if (!password) return text;
  const basic = Buffer.from(`${username ?? ''}:${password}`).toString('base64');
  return [basic, encodeURIComponent(password), password].reduce(
    (rest, secret) => rest.replaceAll(secret, '*****'),
    text,
  );
}
